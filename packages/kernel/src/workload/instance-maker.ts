import {
  type AuthProvider,
  isPortolanError,
  type KindProblem,
  type OutgoingCredentials,
  type OutgoingCredentialsHostContext,
  type PluginContext,
  type ProxyMiddleware,
  type ProxyContext,
  type Runtime,
  type Scheme,
  type SecretStore,
  type SecretStoreHostContext,
  type SessionStore,
  type SessionStoreHostContext,
  type ToolIndex,
  type Transport,
} from '@portolan/plugin-api';
import { type Block, isPlainMap } from '../config/plain-data.ts';
import { type Creator, createInstance } from '../kinds/create-instance.ts';
import { configInvalid } from '../validation/validation-errors.ts';
import { instanceBroken } from '../kinds/kind-errors.ts';
import { secretFields } from '../config/secret-fields.ts';
import { formatConfigPath, parseConfigPath } from '../faults/config-path.ts';
import { configProblem } from '../faults/config-problem.ts';
import { hostProblem } from '../validation/check-hosts.ts';
import type { KindEntry } from '../kinds/kind-table.ts';
import { calledOf, type KindOf, type WorkloadList } from '../kind-lists/kind-lists.ts';
import type { ApplyInput } from '../plugins/apply-plugins.ts';
import { withinTime } from '../lifetime/within-time.ts';
import { emptyBlockOf } from './empty-block.ts';
import { sessionStoreAddress } from './workload-errors.ts';
import type { WorkloadKindFinder } from './kind-finder.ts';
import type {
  CreatedAuthProvider,
  CreatedProxyMiddleware,
  CreatedSecretStore,
  KindSettings,
} from './workload-kernel.ts';
import { SESSION_STORE_PARTS, SCHEME_PARTS, lackingOf, lackingOfMiddleware } from './instance-parts.ts';

export interface InstanceMakerInput extends ApplyInput {
  readonly finder: WorkloadKindFinder;
  readonly settings: Block;
  readonly configFile: string | undefined;
  readonly directory: string;
}

export class InstanceMaker {
  readonly #input: InstanceMakerInput;

  constructor(input: InstanceMakerInput) {
    this.#input = input;
  }

  async createRuntime(name: string): Promise<Runtime> {
    const kind = await this.#find('runtimes', name);
    const runtime = this.#closing(await this.#create<Runtime>(kind, ['close']), kind.where);
    const lacking = lackingOf(runtime);
    if (lacking !== undefined) throw instanceBroken(kind.entry, kind.where, lacking);
    return runtime;
  }

  async createTransport(name: string): Promise<Transport> {
    const match = await this.#find('transports', name);
    const { entry, where } = match;
    const { carries } = entry.kind;
    const parts = carries === 'messages' ? ['prepareContainer', 'openConnection'] : ['prepareContainer'];
    const transport = await this.#create<Transport>(match, parts);
    if (transport.carries !== carries) {
      throw instanceBroken(entry, where, `one that carries ${transport.carries}, not ${carries}`);
    }
    const clientPath: unknown = transport.carries === 'http' ? transport.clientPath : '/';
    if (typeof clientPath !== 'string' || !clientPath.startsWith('/')) {
      throw instanceBroken(entry, where, 'one whose "clientPath" is no path');
    }
    return transport;
  }

  async createScheme(name: string): Promise<Scheme> {
    return await this.#create<Scheme>(await this.#find('schemes', name), SCHEME_PARTS);
  }

  async createSecretStore(name: string, context: SecretStoreHostContext): Promise<CreatedSecretStore> {
    const kind = await this.#find('secretStores', name);
    const { can } = kind.entry.kind;
    const store = await this.#create<SecretStore>(kind, ['find', ...can], context);
    return { name, can, store: this.#closing(store, kind.where) };
  }

  async createAuthProvider(name: string, settings?: KindSettings): Promise<CreatedAuthProvider> {
    const entry = await this.#find('authProviders', name, settings);
    const { kind } = entry.entry;
    const instance = await this.#create<AuthProvider>(entry, ['verify', 'identify']);
    return { kind, instance: this.#closing(instance, entry.where) };
  }

  async checkAuthProvider(name: string, settings?: KindSettings): Promise<void> {
    await this.#find('authProviders', name, settings);
  }

  async checkAuthProviderOnline(
    name: string,
    settings: KindSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]> {
    const { entry, block } = await this.#find('authProviders', name, settings);
    const context = { ...this.#input.contextFor(entry.plugin), secrets: this.#input.secrets };
    const { checkOnlineByKind } = await import('../validation/check-by-kind.ts');
    return await checkOnlineByKind(entry, block, [], context, signal);
  }

  async checkProxyMiddleware(name: string, settings?: KindSettings): Promise<readonly string[]> {
    return (await this.#findNamed('proxyMiddleware', name, settings)).warnings;
  }

  /**
   * Finds the kind that a run config names, and its settings. Throws when the settings contain a secret,
   * because run configs are exported in plain text.
   */
  async #findNamed<List extends 'proxyMiddleware' | 'outgoingCredentials'>(
    list: List,
    name: string,
    settings?: KindSettings,
  ): Promise<KindMatch<KindOf<List>>> {
    const kind = await this.#find(list, name, settings);
    if (settings === undefined) return kind;
    const place = parseConfigPath(settings.place) ?? [settings.place];
    const secrets = secretFields(kind.block, kind.entry.kind.config, place);
    if (secrets.length > 0) {
      const expected = `it in the configuration, under ${formatConfigPath([list, name])}`;
      const problems = secrets.map(({ place: at }) =>
        configProblem(formatConfigPath(at), 'a secret', expected),
      );
      throw configInvalid(settings.origin, problems);
    }
    return kind;
  }

  async createProxyMiddleware(
    name: string,
    context: ProxyContext,
    settings?: KindSettings,
  ): Promise<CreatedProxyMiddleware> {
    const match = await this.#findNamed('proxyMiddleware', name, settings);
    const { entry, where } = match;
    const instance = await this.#create<ProxyMiddleware>(match, undefined, context);
    this.#closing(instance, where);
    const lacking = lackingOfMiddleware(instance);
    if (lacking !== undefined) throw instanceBroken(entry, where, lacking);
    return { name, placed: entry.kind.placed, instance };
  }

  async checkOutgoingCredentials(name: string, settings?: KindSettings): Promise<readonly string[]> {
    return (await this.#findNamed('outgoingCredentials', name, settings)).warnings;
  }

  async createOutgoingCredentials(
    name: string,
    context: OutgoingCredentialsHostContext,
    settings?: KindSettings,
  ): Promise<OutgoingCredentials> {
    const kind = await this.#findNamed('outgoingCredentials', name, settings);
    const { entry, where } = kind;
    const instance = await this.#create<OutgoingCredentials>(kind, ['credentials'], context);
    this.#closing(instance, where);
    const odd = (['refused', 'close'] as const).find(
      (part) => instance[part] !== undefined && typeof instance[part] !== 'function',
    );
    if (odd !== undefined) throw instanceBroken(entry, where, `something whose "${odd}" is no function`);
    return instance;
  }

  async checkSessionStore(address: URL): Promise<void> {
    await this.#findSessionStore(address);
  }

  async createSessionStore(context: SessionStoreHostContext): Promise<SessionStore> {
    const kind = await this.#findSessionStore(context.address);
    const store = await this.#create<SessionStore>(kind, SESSION_STORE_PARTS, context);
    return this.#closing(store, kind.where);
  }

  async #findSessionStore(address: URL): Promise<KindMatch<KindOf<'sessionStores'>>> {
    const entry = await this.#find('sessionStores', address.protocol.slice(0, -1));
    const fault = entry.entry.kind.checkAddress(address);
    if (fault !== undefined) throw sessionStoreAddress(entry.where, fault);
    return entry;
  }

  async checkToolIndex(name: string): Promise<void> {
    await this.#find('toolIndexes', name);
  }

  async createToolIndex(name: string): Promise<ToolIndex> {
    const kind = await this.#find('toolIndexes', name);
    return this.#closing(await this.#create<ToolIndex>(kind, ['build']), kind.where);
  }

  /**
   * Creates an instance. Errors that the kind throws deliberately, such as an unavailable engine, pass
   * through unchanged, because they are not faults of its plugin.
   */
  async #create<Instance>(
    { entry, block, where }: KindMatch<Creator<Instance>>,
    parts: readonly string[] | undefined,
    context: object = {},
  ): Promise<Instance> {
    const contextFor = (plugin: string): PluginContext => ({
      ...this.#input.contextFor(plugin),
      ...context,
    });
    try {
      return await createInstance<Instance>({ ...this.#input, contextFor }, entry, block, where, parts);
    } catch (error) {
      if (isPortolanError(error) && isPortolanError(error.cause)) throw error.cause;
      throw error;
    }
  }

  async #find<List extends WorkloadList>(
    list: List,
    name: string,
    given?: KindSettings,
  ): Promise<KindMatch<KindOf<List>>> {
    const { finder, settings } = this.#input;
    const entry = await finder.get(list, name);
    const problem = hostProblem('workload', list, entry.kind);
    if (problem !== undefined) {
      const origin = given?.origin ?? this.#input.configFile;
      const place = given?.place ?? formatConfigPath([list, name]);
      throw configInvalid(origin, [configProblem(place, problem.found, problem.expected)]);
    }
    const where = `the ${calledOf(list)} "${name}"`;
    if (given !== undefined) {
      const { checkGivenBlock } = await import('./check-settings-block.ts');
      return { entry, where, ...checkGivenBlock(entry, given, this.#input) };
    }
    const configured = settings[list];
    const block = isPlainMap(configured) && Object.hasOwn(configured, name) ? configured[name] : undefined;
    return {
      entry,
      where,
      block: isPlainMap(block)
        ? structuredClone(block)
        : await emptyBlockOf(entry, [list, name], this.#input),
      warnings: [],
    };
  }

  #closing<Instance extends { close?(): Promise<void> }>(instance: Instance, where: string): Instance {
    const { opened, limitMs } = this.#input;
    opened.push(where, () => withinTime(() => instance.close?.(), limitMs));
    return instance;
  }
}

interface KindMatch<Kind> {
  readonly entry: KindEntry<Kind>;
  readonly block: Block;
  readonly where: string;
  readonly warnings: readonly string[];
}
