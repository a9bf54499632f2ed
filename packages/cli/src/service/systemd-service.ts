import { mkdir, readFile, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ServiceReport, ServiceContext } from './service-context.ts';
import { serviceEnvironment } from './service-environment.ts';
import { isLingeringOurs, systemdUnit, UNIT_NAME } from './systemd-unit.ts';

interface UnitFiles {
  readonly unit: string;
  /**
   * Path of the link that enables the unit. Portolan creates it itself, because `systemctl --user enable`
   * needs a user session.
   */
  readonly wish: string;
}

/** Returns the paths in which the user's systemd looks for units (systemd.unit(5)). */
export function unitFilesOf({ home, environment }: Pick<ServiceContext, 'home' | 'environment'>): UnitFiles {
  const named = environment['XDG_CONFIG_HOME'] ?? '';
  const folder = path.join(path.isAbsolute(named) ? named : path.join(home, '.config'), 'systemd/user');
  return { unit: path.join(folder, UNIT_NAME), wish: path.join(folder, 'default.target.wants', UNIT_NAME) };
}

/** Writes the unit, replacing an earlier one, and enables it. Throws ERR_BAD_ARGUMENT. */
export async function installSystemdService(around: ServiceContext): Promise<ServiceReport> {
  const files = unitFilesOf(around);
  const { variables, leftOut } = serviceEnvironment(around.environment);
  const earlier = await readOrNothing(files.unit);
  const wasLingering = await lingers(around);
  const enabled = wasLingering
    ? undefined
    : await around.tryProgram('loginctl', ['enable-linger', around.user]);
  const isOurs = enabled?.isDone === true || (wasLingering && isLingeringOurs(earlier ?? ''));
  await mkdir(path.dirname(files.wish), { recursive: true, mode: 0o700 });
  await writeFile(files.unit, systemdUnit({ command: around.command, environment: variables }, isOurs), {
    mode: 0o600,
  });
  await rm(files.wish, { force: true });
  await symlink(files.unit, files.wish);
  const { isDone: isKnown } = await around.tryProgram('systemctl', ['--user', 'daemon-reload']);
  return {
    lines: [
      `${files.unit} is written: workloads that nobody has stopped start with the machine`,
      ...leftOut.map(
        (name) =>
          `note: ${name} may hold a password and is left out; set it with \`systemctl --user edit ${UNIT_NAME}\``,
      ),
      ...(isKnown
        ? []
        : ['note: systemd of this user does not respond now; it reads the unit when it starts']),
      ...(wasLingering || enabled?.isDone === true
        ? []
        : [
            `note: workloads only start when this user logs in; to start them with the machine: sudo loginctl enable-linger ${around.user}`,
          ]),
    ],
  };
}

/** Removes what `install` has created; running workloads continue. */
export async function uninstallSystemdService(around: ServiceContext): Promise<ServiceReport> {
  const files = unitFilesOf(around);
  const unit = await readOrNothing(files.unit);
  if (unit === undefined) {
    await rm(files.wish, { force: true });
    return { lines: ['no service is installed'] };
  }
  await rm(files.wish, { force: true });
  await rm(files.unit);
  const folder = path.dirname(files.unit);
  for (const one of [path.dirname(files.wish), folder, path.dirname(folder)]) await removeEmpty(one);
  await around.tryProgram('systemctl', ['--user', 'daemon-reload']);
  if (!isLingeringOurs(unit)) return { lines: [`${files.unit} is removed`] };
  const { isDone } = await around.tryProgram('loginctl', ['disable-linger', around.user]);
  const left = `note: lingering could not be disabled: sudo loginctl disable-linger ${around.user}`;
  return { lines: [`${files.unit} is removed`, ...(isDone ? [] : [left])] };
}

async function lingers({ user, tryProgram }: ServiceContext): Promise<boolean> {
  const { output } = await tryProgram('loginctl', ['show-user', user, '--property=Linger', '--value']);
  return output.trim() === 'yes';
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error;
  }
}
