import { parseDuration, UndoStack } from '@portolan/plugin-api';
import { type AuthSlot, nameOf } from './auth-slot.ts';
import type { BootOptions } from '../validation/boot-options.ts';
import { configProblem } from '../faults/config-problem.ts';
import { createAuth } from './create-instances.ts';
import type { CreationContext } from '../kinds/create-instance.ts';
import { configInvalid } from '../validation/validation-errors.ts';
import type { KernelAuth, ReloadedAuth } from './kernel.ts';
import type { PluginApplier } from '../plugins/apply-plugins.ts';
import { type ReadConfiguration, readConfiguration } from '../validation/read-configuration.ts';
import { withinTime } from '../lifetime/within-time.ts';

export interface ReloadInput extends CreationContext {
  readonly options: BootOptions;
  readonly atStart: ReadConfiguration;
  readonly auth: AuthSlot;
  readonly applier: PluginApplier;
}

/**
 * Extra time, in milliseconds, before a replaced provider closes: requests may still work after their
 * response. Added to `server.requestTimeout`.
 */
const GRACE_MS = 1000;

export async function reloadAuth(input: ReloadInput): Promise<ReloadedAuth> {
  const { atStart, auth, logger } = input;
  const now = await readAgain(input);
  refuseOtherPlugins(atStart, now);
  const next = await openAuth(input, now);
  auth.replace(next, graceOf(atStart));
  for (const warning of now.validated.warnings) logger.warn({ warning }, 'the configuration has a warning');
  return { auth: next, ignored: changedKeys(atStart, now, ['auth']) };
}

/** Reads the configuration file of the start again, even if a search would now find another file first. */
export async function readAgain({
  options,
  atStart,
  secrets,
}: Pick<ReloadInput, 'options' | 'atStart' | 'secrets'>): Promise<ReadConfiguration> {
  const { file } = atStart.loaded;
  const origin = file === undefined ? options : { ...options, configFile: file };
  return await readConfiguration(origin, secrets, { again: true });
}

/** Returns how long requests may use a replaced provider, in milliseconds. */
export function graceOf({ validated }: ReadConfiguration): number {
  return parseDuration(validated.config.server.requestTimeout) + GRACE_MS;
}

export function changedKeys(
  before: ReadConfiguration,
  now: ReadConfiguration,
  taken: readonly string[],
): readonly string[] {
  const old = settingsOf(before);
  const current = settingsOf(now);
  const keys = Object.keys({ ...old, ...current }) as (keyof typeof old)[]; // both have only keys of this type
  return keys.filter(
    (key) => !taken.includes(key) && JSON.stringify(old[key]) !== JSON.stringify(current[key]),
  );
}

/**
 * Creates the configured auth provider. If a built-in provider is used for the first time, applies its plugin
 * first.
 */
export async function openAuth(
  input: Omit<ReloadInput, 'auth' | 'atStart' | 'options'>,
  { validated, kinds, plugins }: ReadConfiguration,
): Promise<KernelAuth> {
  const { applier, logger, limitMs } = input;
  const next = await createAuth({ ...input, validated, kinds });
  const opened = new UndoStack(logger);
  opened.push(nameOf(next), () => withinTime(() => next.provider.instance.close?.(), limitMs));
  try {
    const shipped = plugins.filter((plugin) => plugin.shipped);
    await applier.apply(shipped, validated.optionsOf);
    return next;
  } catch (error) {
    await opened.run();
    throw error;
  }
}

/**
 * Throws when `plugins` changed. Loaded plugins stay in memory and in the hooks, so such a change needs a
 * restart.
 */
export function refuseOtherPlugins(before: ReadConfiguration, now: ReadConfiguration): void {
  if (describePlugins(before) === describePlugins(now)) return;
  const { file, positionOf } = now.loaded;
  const problem = configProblem(
    'plugins',
    'others than at the start',
    'those of the start, until a restart',
    {
      position: positionOf(['plugins']),
    },
  );
  throw configInvalid(file, [problem]);
}

function describePlugins({ plugins, validated }: ReadConfiguration): string {
  const configured = plugins.filter(({ shipped }) => !shipped);
  return JSON.stringify(
    configured.map((plugin) => {
      const { specifier, file, override } = plugin;
      return { specifier, file, override, options: validated.optionsOf.get(plugin) };
    }),
  );
}

function settingsOf({ validated }: ReadConfiguration) {
  return { ...validated.config, middleware: validated.middleware, pages: validated.pages };
}
