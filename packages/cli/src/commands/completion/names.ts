import { Args } from '@oclif/core';
import type { RegistryAccess } from '@portolan/registry-client';
import { type ServerFlags, serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import type { OpenedContext } from '../../context/open-workload-context.ts';

/** Whoever has pressed Tab waits no longer than this. */
const MAX_MS = 2000;

/** What scripts of `completion` ask for names that only a server knows. Where there is no answer at once, there are none: it fails never, and asks nobody. */
export default class CompletionNames extends ServerCommand {
  static override hidden = true;
  static override summary = 'Print the names that a shell completes, of the server that PORTOLAN_URL names';
  static override args = {
    what: Args.string({
      description: 'whose names',
      options: ['source', 'registry'],
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = serverFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(CompletionNames, this.argumentsOf(CompletionNames));
    const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
    const timer = setTimeout(() => resolve([]), MAX_MS);
    try {
      const what = args.what === 'source' ? 'source' : 'registry';
      const names = await Promise.race([this.#names(flags, what), late]);
      // A shell takes what stands there for words, and some take it apart.
      for (const name of names.filter((one) => /^[\w.@:/-]+$/.test(one))) this.log(name);
    } catch {
      // The command itself will say what is wrong.
    } finally {
      clearTimeout(timer);
    }
  }

  /** The token of a login as it is kept: nothing is renewed for a completion, which may be broken off at any time. */
  protected override async loginAccess(
    server: URL,
    context: OpenedContext,
  ): Promise<RegistryAccess | undefined> {
    const { findKeptToken } = await import('@portolan/workload');
    const { accessWith } = await import('@portolan/registry-client');
    return accessWith(await findKeptToken(server, context));
  }

  async #names(flags: ServerFlags, what: 'source' | 'registry'): Promise<readonly string[]> {
    const { listResources } = await import('@portolan/registry-client');
    const client = await this.connect({ ...flags, timeout: `${MAX_MS}ms` });
    return (await listResources(client, what)).map(({ name }) => String(name));
  }
}
