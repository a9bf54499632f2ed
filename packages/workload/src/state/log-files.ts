import path from 'node:path';
import type { Directories } from './directories.ts';
import { findMemberName } from './member-name.ts';

/** Log files of a workload. Each file may have an older part next to it, named `FILE.1`. */
export interface LogFiles {
  /** Log of supervisor and proxy, one JSON document per line. */
  readonly supervisor: string;
  readonly server: string;
  /** Allowed and denied connections: one JSON document per line, an `EgressEvent` with `time`. */
  readonly network: string;
}

/**
 * Returns the log files of a workload, or of a member. A member has no supervisor of its own, so that file
 * never exists.
 */
export function logFilesOf(name: string, { logs }: Pick<Directories, 'logs'>): LogFiles {
  const { workload, member = name } = findMemberName(name) ?? {};
  const folder = workload === undefined ? logs : memberLogsOf(workload, { logs });
  return {
    supervisor: path.join(folder, `${member}.log`),
    server: path.join(folder, `${member}.server.log`),
    network: path.join(folder, `${member}.network.log`),
  };
}

/** Returns the folder with the log files of a virtual server's members. It exists only for virtual servers. */
export function memberLogsOf(workload: string, { logs }: Pick<Directories, 'logs'>): string {
  return path.join(logs, workload);
}

export function listLogFiles(name: string, directories: Pick<Directories, 'logs'>): readonly string[] {
  const { supervisor, server, network } = logFilesOf(name, directories);
  return [supervisor, server, network].flatMap((file) => [file, `${file}.1`]);
}
