import { mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { AGENT_LABEL, launchdAgent } from './launchd-agent.ts';
import type { ServiceReport, ServiceContext } from './service-context.ts';
import { serviceEnvironment } from './service-environment.ts';

export function agentFileOf({ home }: Pick<ServiceContext, 'home'>): string {
  return path.join(home, 'Library/LaunchAgents', `${AGENT_LABEL}.plist`);
}

/** Writes the agent, which launchd starts at the next login. Throws ERR_BAD_ARGUMENT. */
export async function installLaunchdService(around: ServiceContext): Promise<ServiceReport> {
  const file = agentFileOf(around);
  const { variables, leftOut } = serviceEnvironment(around.environment);
  await mkdir(path.dirname(file), { recursive: true });
  await mkdir(around.logs, { recursive: true, mode: 0o700 });
  const log = path.join(around.logs, 'service.log');
  await writeFile(file, launchdAgent({ command: around.command, environment: variables }, log), {
    mode: 0o600,
  });
  return {
    lines: [
      `${file} is written: workloads that nobody has stopped start when ${around.user} logs in`,
      ...leftOut.map((name) => `note: ${name} may hold a password and is left out`),
    ],
  };
}

/** Removes what `install` has created; running workloads continue. */
export async function uninstallLaunchdService(around: ServiceContext): Promise<ServiceReport> {
  const file = agentFileOf(around);
  await rm(path.join(around.logs, 'service.log'), { force: true });
  if (!existsSync(file)) return { lines: ['no service is installed'] };
  await rm(file);
  await around.tryProgram('launchctl', ['bootout', `gui/${around.userId ?? ''}/${AGENT_LABEL}`]);
  return { lines: [`${file} is removed`] };
}
