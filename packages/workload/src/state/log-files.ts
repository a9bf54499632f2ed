import path from 'node:path';
import type { Directories } from './directories.ts';

/** Log files of a workload. Each file may have an older part next to it, named `FILE.1`. */
export interface LogFiles {
  /** Log of supervisor and proxy, one JSON document per line. */
  readonly supervisor: string;
  readonly server: string;
  /** Allowed and denied connections: one JSON document per line, an `EgressEvent` with `time`. */
  readonly network: string;
}

export function logFilesOf(name: string, { logs }: Pick<Directories, 'logs'>): LogFiles {
  return {
    supervisor: path.join(logs, `${name}.log`),
    server: path.join(logs, `${name}.server.log`),
    network: path.join(logs, `${name}.network.log`),
  };
}

export function listLogFiles(name: string, directories: Pick<Directories, 'logs'>): readonly string[] {
  const { supervisor, server, network } = logFilesOf(name, directories);
  return [supervisor, server, network].flatMap((file) => [file, `${file}.1`]);
}
