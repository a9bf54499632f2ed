import { NOTHING_SHIPPED, type ShippedKinds } from '../plugins/plugin-origins.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { WORKLOAD_LISTS } from '../kind-lists/kind-lists.ts';

type Packages = Readonly<Record<string, string>>;

export function packagesOf(shipped: ShippedKinds, list: keyof ShippedKinds): Packages {
  const kinds = Object.entries(shipped[list] ?? {});
  return Object.fromEntries(
    kinds.map(([kind, brought]) => [kind, typeof brought === 'string' ? brought : brought.package]),
  );
}

export function usedPackages(
  config: unknown,
  modes: readonly string[],
  middleware: readonly string[],
  exporters: readonly string[],
  pages: readonly string[],
  shipped: ShippedKinds,
): readonly string[] {
  const sources = isPlainMap(config) && Array.isArray(config['sources']) ? config['sources'] : [];
  const keys = sources.flatMap((source: unknown) => (isPlainMap(source) ? Object.keys(source) : []));
  const packages = [
    ...pick(packagesOf(shipped, 'sources'), keys),
    ...pick(packagesOf(shipped, 'authProviders'), modes),
    ...pick(packagesOf(shipped, 'middleware'), middleware),
    ...pick(packagesOf(shipped, 'telemetry'), exporters),
    ...pick(packagesOf(shipped, 'pages'), pages),
    ...usedByWorkloads(config, shipped),
  ];
  return [...new Set(packages)];
}

export function usedByWorkloads(config: unknown, shipped: ShippedKinds): readonly string[] {
  const packages = WORKLOAD_LISTS.flatMap((key) => pick(packagesOf(shipped, key), keysBelow(config, key)));
  return [...new Set(packages)];
}

export function allShipped(shipped: ShippedKinds = NOTHING_SHIPPED): readonly string[] {
  // The keys of the interface.
  const lists = Object.keys(shipped) as (keyof ShippedKinds)[];
  return [...new Set(lists.flatMap((list) => Object.values(packagesOf(shipped, list))))];
}

export function middlewareOf(config: unknown): readonly string[] {
  return keysBelow(config, 'middleware');
}

export function pagesOf(config: unknown): readonly string[] {
  return keysBelow(config, 'pages');
}

function keysBelow(config: unknown, key: string): readonly string[] {
  const map = isPlainMap(config) ? config[key] : undefined;
  return isPlainMap(map) ? Object.keys(map) : [];
}

function pick(packages: Packages, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => (Object.hasOwn(packages, name) ? [packages[name]!] : []));
}
