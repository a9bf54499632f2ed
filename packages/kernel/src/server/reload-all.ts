import { UndoStack } from '@portolan/plugin-api';
import type { ReadConfiguration } from '../validation/read-configuration.ts';
import { nameOf } from './auth-slot.ts';
import { createSources } from './create-instances.ts';
import type { KernelAuth, NextRegistries, ReloadedConfiguration } from './kernel.ts';
import {
  changedKeys,
  graceOf,
  openAuth,
  readAgain,
  refuseOtherPlugins,
  type ReloadInput,
} from './reload-auth.ts';
import type { SourceSlot } from './source-slot.ts';
import { withinTime } from '../lifetime/within-time.ts';

export interface ReloadAllInput extends ReloadInput {
  readonly sources: SourceSlot;
}

/**
 * Implements `Kernel.reload`. Compares the configuration with the one applied last. Sources and auth
 * providers whose settings are unchanged keep their instances.
 */
export function configurationTaker(
  input: ReloadAllInput,
): (store: (next: NextRegistries) => Promise<void>) => Promise<ReloadedConfiguration> {
  let last = input.atStart;
  let running: Promise<unknown> = Promise.resolve();
  return (store) => {
    const take = async (): Promise<ReloadedConfiguration> => {
      const now = await readAgain(input);
      refuseOtherPlugins(input.atStart, now);
      const changes = await takeOver(input, last, now, store);
      last = now;
      for (const warning of now.validated.warnings) {
        input.logger.warn({ warning }, 'the configuration has a warning');
      }
      return { auth: input.auth.current, ignored: changedKeys(input.atStart, now, TAKEN), ...changes };
    };
    const next = running.then(take, take);
    running = next;
    return next;
  };
}

const TAKEN = ['auth', 'sources', 'registries'];

async function takeOver(
  input: ReloadAllInput,
  last: ReadConfiguration,
  now: ReadConfiguration,
  store: (next: NextRegistries) => Promise<void>,
): Promise<Pick<ReloadedConfiguration, 'isAuthChanged'>> {
  const { auth, sources, logger, limitMs } = input;
  const isAuthChanged = !isSame(authOf(last), authOf(now));
  const opened = new UndoStack(logger);
  try {
    const blocks = new Map(last.validated.config.sources.map((source) => [source.name, source]));
    const made = await createSources({ ...input, validated: now.validated, kinds: now.kinds }, (name) => {
      const before = blocks.get(name);
      const sourceConfig = now.validated.config.sources.find((source) => source.name === name);
      const isKept = isSame([before?.kind, before?.block], [sourceConfig?.kind, sourceConfig?.block]);
      return isKept ? sources.current.get(name) : undefined;
    });
    opened.push('sources', () => sources.discard(made));
    let next: KernelAuth | undefined;
    if (isAuthChanged) {
      const provider = await openAuth(input, now);
      next = provider;
      opened.push(nameOf(provider), () => withinTime(() => provider.provider.instance.close?.(), limitMs));
    } else {
      await input.applier.apply(
        now.plugins.filter(({ shipped }) => shipped),
        now.validated.optionsOf,
      );
    }
    const { sources: configured, registries } = now.validated.config;
    await store({ config: { sources: configured, registries }, sources: made });
    if (next !== undefined) auth.replace(next, graceOf(input.atStart));
    await sources.replace(made);
    return { isAuthChanged };
  } catch (error) {
    await opened.run();
    throw error;
  }
}

function authOf({ validated }: ReadConfiguration): unknown {
  return [validated.config.auth, validated.authBlock];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
