import { posix } from 'node:path';
import { readImports } from './read-imports.ts';
import type { Unit, Workspace } from './workspace.ts';

/** Layers of packages: for each package its folders and single files, lowest layer first. */
export type Wings = Readonly<Record<string, readonly string[]>>;

/**
 * Returns all violations of the layers of packages, one line each. A layer is a folder of `src` or a single
 * file in it. It may import earlier layers of the list, including types. Tests may import all of their
 * package.
 */
export function findWingViolations({ units }: Workspace, wings: Wings): readonly string[] {
  return units.flatMap((unit) => {
    const order = wings[unit.name];
    return order === undefined
      ? []
      : [...unlistedFiles(unit, order), ...emptyWings(unit, order), ...arrowsUpward(unit, order)];
  });
}

function arrowsUpward(unit: Unit, order: readonly string[]): readonly string[] {
  return sourcesOf(unit).flatMap(([file, text]) => {
    const from = order.indexOf(wingOf(unit, file));
    return readImports(file, text).flatMap(({ specifier, line }) => {
      if (from < 0 || specifier === undefined || !/^\.\.?\//.test(specifier)) return [];
      const wing = wingOf(unit, posix.join(posix.dirname(file), specifier));
      if (order.indexOf(wing) <= from) return [];
      const below = order.slice(0, from).join(', ') || 'no other wing';
      return [
        `${file}:${line} imports "${specifier}", an arrow upward in ${unit.name}: ${order[from]} may import ${below}`,
      ];
    });
  });
}

function unlistedFiles(unit: Unit, order: readonly string[]): readonly string[] {
  return sourcesOf(unit)
    .filter(([file]) => !order.includes(wingOf(unit, file)))
    .map(([file]) => `${file} is in no wing of ${unit.name}; put it into one, or list it in import-table.ts`);
}

function emptyWings(unit: Unit, order: readonly string[]): readonly string[] {
  const used = new Set(sourcesOf(unit).map(([file]) => wingOf(unit, file)));
  return order
    .filter((wing) => !used.has(wing))
    .map((wing) => `${unit.folder}/src has no "${wing}"; take it out of the wings in import-table.ts`);
}

function sourcesOf(unit: Unit): readonly (readonly [file: string, text: string])[] {
  return [...unit.files].filter(([file]) => file.startsWith(`${unit.folder}/src/`));
}

/**
 * Returns the layer of a file: `config` for `packages/kernel/src/config/find-config.ts`. A single file is its
 * own layer.
 */
function wingOf(unit: Unit, file: string): string {
  return file.slice(`${unit.folder}/src/`.length).split('/')[0] ?? '';
}
