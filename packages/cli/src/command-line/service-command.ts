import { execFile } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { OpenedContext } from '../context/open-workload-context.ts';
import type { ServiceContext } from '../service/service-context.ts';
import { WorkloadCommand } from './workload-command.ts';

const PROGRAM_MS = 15_000;

export abstract class ServiceCommand extends WorkloadCommand {
  /**
   * Returns the facts for installing a service. They include a configuration of `--config` or the
   * environment. The service itself finds one in the user's config directory.
   */
  protected context(
    { environment, directories, workingDirectory }: OpenedContext,
    config: string | undefined = environment['PORTOLAN_CONFIG'] || undefined,
  ): ServiceContext {
    const launcher = path.join(this.config.root, 'bin/portolan.js');
    const named = config === undefined ? {} : { PORTOLAN_CONFIG: path.resolve(workingDirectory, config) };
    return {
      platform: process.platform,
      home: homedir(),
      environment: { ...environment, ...named },
      user: userInfo().username,
      userId: process.getuid?.(),
      command: [process.execPath, '--', launcher, 'service', 'run'],
      logs: directories.logs,
      tryProgram: async (program, args) =>
        await new Promise((resolve) => {
          execFile(program, [...args], { timeout: PROGRAM_MS }, (error, output) =>
            resolve({ isDone: error === null, output }),
          );
        }),
    };
  }
}
