import type { Ecosystem, PackageParser, Transport } from '@portolan/plugin-api';
import type { ShippedKinds } from '../plugins/plugin-origins.ts';
import { kindUnknown } from './workload-errors.ts';
import type { KindEntry, KindTable } from '../kinds/kind-table.ts';
import { packagesOf } from '../kinds/shipped-packages.ts';
import { calledOf, type KindOf, WORKLOAD_LISTS, type WorkloadList } from '../kind-lists/kind-lists.ts';
import { type LoadPackage, loadOnce } from '../plugins/load-once.ts';
import type { WorkloadKindNames } from './workload-kernel.ts';

/** Finds workload kinds. A built-in one is loaded on first use. */
export class WorkloadKindFinder {
  readonly #loaded: KindTable;
  readonly #shipped: ShippedKinds;
  readonly #load: LoadPackage;

  constructor(loaded: KindTable, shipped: ShippedKinds, load: LoadPackage) {
    this.#loaded = loaded;
    this.#shipped = shipped;
    this.#load = loadOnce(load);
  }

  get names(): WorkloadKindNames {
    const packages: readonly (readonly [string, Ecosystem | PackageParser])[] = [
      ...Object.entries(this.#shipped.schemes ?? {}).map(
        ([name, scheme]) => [name, scheme.packages] as const,
      ),
      ...[...this.#loaded.schemes].map(([name, { kind }]) => [name, kind.packages] as const),
    ];
    const carries: readonly (readonly [string, Transport['carries']])[] = [
      ...Object.entries(this.#shipped.transports ?? {}).map(([name, one]) => [name, one.carries] as const),
      ...[...this.#loaded.transports].map(([name, { kind }]) => [name, kind.carries] as const),
    ];
    const names = WORKLOAD_LISTS.map((list) => [list, this.#namesOf(list)] as const);
    // SAFETY: the loop above covered all lists.
    const named = Object.fromEntries(names) as Readonly<Record<WorkloadList, readonly string[]>>;
    return { ...named, schemes: new Map(packages), transports: new Map(carries) };
  }

  async get<List extends WorkloadList>(list: List, name: string): Promise<KindEntry<KindOf<List>>> {
    const tables: { readonly [L in WorkloadList]: ReadonlyMap<string, KindEntry<KindOf<L>>> } = this.#loaded;
    const loaded = tables[list].get(name);
    if (loaded !== undefined) return loaded;
    const packages = packagesOf(this.#shipped, list);
    const packageName = Object.hasOwn(packages, name) ? packages[name] : undefined;
    if (packageName === undefined) throw kindUnknown(calledOf(list), name, this.#namesOf(list));
    const { plugin, file } = await this.#load(packageName);
    const lists: { readonly [L in WorkloadList]?: readonly KindOf<L>[] } = plugin.contributes ?? {};
    const kind = lists[list]?.find((one) => one.kind === name);
    if (kind === undefined)
      throw new Error(`${packageName} is shipped for "${name}", but does not define it`);
    return { kind, plugin: plugin.name, file, shipped: true };
  }

  #namesOf(list: WorkloadList): readonly string[] {
    const shipped = Object.keys(packagesOf(this.#shipped, list));
    return [...new Set([...shipped, ...this.#loaded[list].keys()])];
  }
}
