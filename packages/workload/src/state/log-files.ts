import path from 'node:path';
import type { Directories } from './directories.ts';

/** The files in which a workload's logs are; of each there may be an older one, `FILE.1`. */
export interface LogFiles {
  /** What supervisor and proxy say: a JSON document a line. */
  readonly supervisor: string;
  /** What the server writes for people, line by line. */
  readonly server: string;
  /** What was let out and what was not: an EgressEvent with `time` as a JSON document a line. */
  readonly network: string;
}

export function logFilesOf(name: string, { logs }: Pick<Directories, 'logs'>): LogFiles {
  return {
    supervisor: path.join(logs, `${name}.log`),
    server: path.join(logs, `${name}.server.log`),
    network: path.join(logs, `${name}.network.log`),
  };
}

/** All files that may be there, for whoever removes a workload. */
export function listLogFiles(name: string, directories: Pick<Directories, 'logs'>): readonly string[] {
  const { supervisor, server, network } = logFilesOf(name, directories);
  return [supervisor, server, network].flatMap((file) => [file, `${file}.1`]);
}
