import { posix } from 'node:path';
import { readImports } from './read-imports.ts';
import type { Unit, Workspace } from './workspace.ts';

/** The wings of packages: name of the package to its folders and loose files, ground floor first. */
export type Wings = Readonly<Record<string, readonly string[]>>;

/**
 * Everything in a workspace that is against the wings of its packages, one line
 * each. A wing is a folder of `src`, or a file that lies loose there; it may
 * import what stands to its left in the list, types included. Tests may import
 * all of their package.
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

/** `config` of `packages/kernel/src/config/find-config.ts`; a loose file is a wing by itself. */
function wingOf(unit: Unit, file: string): string {
  return file.slice(`${unit.folder}/src/`.length).split('/')[0] ?? '';
}
