import type { SourceKind } from '@portolan/plugin-api';
import type { ShippedKinds } from '../../plugins/plugin-origins.ts';
import type { KindEntry, KindTable } from '../../kinds/kind-table.ts';
import { type LoadPackage, loadOnce } from '../../plugins/load-once.ts';

/** All source kinds. An unused built-in kind is loaded on first use. */
export class SourceKinds {
  readonly names: readonly string[];
  readonly #loaded: KindTable['sources'];
  readonly #shipped: NonNullable<ShippedKinds['sources']>;
  readonly #load: LoadPackage;

  constructor(
    loaded: KindTable['sources'],
    shipped: NonNullable<ShippedKinds['sources']>,
    load: LoadPackage,
  ) {
    this.names = [...new Set([...loaded.keys(), ...Object.keys(shipped)])];
    this.#loaded = loaded;
    this.#shipped = shipped;
    this.#load = loadOnce(load);
  }

  async get(name: string): Promise<KindEntry<SourceKind> | undefined> {
    const packageName = Object.hasOwn(this.#shipped, name) ? this.#shipped[name] : undefined;
    const loaded = this.#loaded.get(name);
    if (loaded !== undefined || packageName === undefined) return loaded;
    const { plugin, file } = await this.#load(packageName);
    const kind = plugin.contributes?.sources?.find((one) => one.kind === name);
    return kind === undefined ? undefined : { kind, plugin: plugin.name, file, shipped: true };
  }
}
