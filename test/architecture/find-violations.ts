import { posix } from 'node:path';
import { bundledPackage } from '../../scripts/bundled-packages.ts';
import { findCycles } from './find-cycles.ts';
import {
  CONFINEMENTS,
  EXAMPLE_MAY_IMPORT,
  IMPORT_TABLE,
  MAY_IMPORT_COMPUTED,
  PLUGIN_MAY_IMPORT,
  TESTS_ALSO_IMPORT,
  TESTS_MAY_IMPORT,
  WINGS,
} from './import-table.ts';
import { findWingViolations, type Wings } from './find-wing-violations.ts';
import { readImports, type Import } from './read-imports.ts';
import type { Unit, Workspace } from './workspace.ts';

/** An import with everything that the rules read. */
interface Edge extends Import {
  readonly unit: Unit;
  readonly file: string;
  readonly inTest: boolean;
  readonly workspace: Workspace;
}

type Rule = (edge: Edge & { readonly specifier: string }) => string | undefined;

/** Returns all violations of the import table, one line each: place, what was found, what to do. */
export function findViolations(workspace: Workspace, wings: Wings = WINGS): readonly string[] {
  const edges = workspace.units.flatMap((unit) => readEdges(unit, workspace));
  const broken = edges.flatMap((edge) => {
    const message = breach(edge);
    return message === undefined ? [] : [`${edge.file}:${edge.line} ${message}`];
  });
  return [
    ...unknownUnits(workspace),
    ...broken,
    ...findWingViolations(workspace, wings),
    ...fileCycles(edges),
    ...packageCycles(edges),
  ];
}

function readEdges(unit: Unit, workspace: Workspace): readonly Edge[] {
  return [...unit.files].flatMap(([file, text]) =>
    readImports(file, text).map((found) => ({ ...found, unit, file, inTest: isTest(unit, file), workspace })),
  );
}

function isTest(unit: Unit, file: string): boolean {
  return file.startsWith(`${unit.folder}/test/`) || file.endsWith('.test.ts');
}

const RULES: readonly Rule[] = [staysInside, isExported, followsDirection, isConfined, isDeclared];

function breach(edge: Edge): string | undefined {
  const { specifier } = edge;
  if (specifier === undefined) {
    if (edge.inTest || MAY_IMPORT_COMPUTED.includes(edge.file)) return undefined;
    return 'imports something computed; write the name out, or list the file in import-table.ts';
  }
  for (const rule of RULES) {
    const message = rule({ ...edge, specifier });
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Checks that a relative import stays in its package, and that `src` does not import from `test`. */
function staysInside({ specifier, file, unit, inTest }: Edge & { specifier: string }): string | undefined {
  if (specifier.startsWith('/') || specifier.startsWith('file:')) {
    return `imports "${specifier}" by an absolute path; import the package by its name`;
  }
  const target = relativeTarget(file, specifier);
  if (target === undefined || (inTest && target.startsWith('test/support/'))) return undefined;
  if (!target.startsWith(`${unit.folder}/`)) {
    return `imports "${specifier}", which leaves ${unit.folder}; import the package by its name`;
  }
  if (!inTest && target.startsWith(`${unit.folder}/test/`)) {
    return `imports "${specifier}" from its tests; what the product needs belongs into src`;
  }
  return undefined;
}

/** Checks that an import names what the package exports: the package itself, or a subpath of its `exports`. */
function isExported({ specifier, workspace }: Edge & { specifier: string }): string | undefined {
  const name = packageOf(specifier);
  if (!name?.startsWith('@portolan/') || specifier === name) return undefined;
  const exported = workspace.units.find((unit) => unit.name === name)?.exports ?? [];
  return exported.includes(specifier)
    ? undefined
    : `imports "${specifier}" by a deep path; use one of ${[name, ...exported].join(', ')}, or add a subpath to "exports" of ${name}`;
}

function followsDirection({
  specifier,
  unit,
  inTest,
  workspace,
}: Edge & { specifier: string }): string | undefined {
  const name = packageOf(specifier);
  if (!name?.startsWith('@portolan/') || name === unit.name) return undefined;
  const allowed = inTest
    ? [...mayImport(unit), ...TESTS_MAY_IMPORT, ...(TESTS_ALSO_IMPORT[unit.name] ?? [])]
    : mayImport(unit);
  if (allowed.includes(name)) return undefined;
  const isPlugin = workspace.units.some((one) => one.name === name && one.sort === 'plugin');
  if (isPlugin) return `imports the plugin ${name}; plugins are named in the configuration, never imported`;
  return `imports ${name}; ${unit.name} may import ${allowed.join(', ') || 'nothing of ours'}`;
}

function mayImport(unit: Unit): readonly string[] {
  if (unit.sort === 'plugin') return PLUGIN_MAY_IMPORT;
  if (unit.sort === 'example') return EXAMPLE_MAY_IMPORT;
  return IMPORT_TABLE[unit.name] ?? [];
}

function isConfined({ specifier, unit, inTest, typeOnly }: Edge & { specifier: string }): string | undefined {
  for (const { module, to, typesTo = [], testsToo = false, because } of CONFINEMENTS) {
    if (specifier !== module && !specifier.startsWith(`${module}/`)) continue;
    if (to.includes(unit.name) || (inTest && testsToo)) return undefined;
    if (typeOnly && typesTo.includes(unit.name)) return undefined;
    return `imports ${module}, which is kept to ${to.join(', ')}: ${because}`;
  }
  return undefined;
}

function isDeclared(edge: Edge & { specifier: string }): string | undefined {
  const name = packageOf(edge.specifier);
  const { unit, inTest } = edge;
  if (name === undefined || name === unit.name) return undefined;
  // Users install what the packages show them. An example need not have a manifest.
  if (unit.sort === 'example' && name.startsWith('@portolan/')) return undefined;
  const declared = inTest
    ? [...unit.dependencies, ...unit.devDependencies, ...edge.workspace.testTools, ...TESTS_MAY_IMPORT]
    : [...unit.dependencies, ...inlinedOf(unit)];
  const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
  if (declared.includes(name) || ((edge.typeOnly || inTest) && declared.includes(types))) return undefined;
  return `imports ${name}, which ${unit.folder}/package.json does not declare`;
}

/** Libraries in the bundle of the package need not be installed with it. */
function inlinedOf({ name, devDependencies }: Unit): readonly string[] {
  return bundledPackage(name).inlined.filter((library) => devDependencies.includes(library));
}

/** Returns the package of a specifier. Undefined for paths and modules of Node.js. */
function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:|file:|#)/.test(specifier)) return undefined;
  const [first, second] = specifier.split('/');
  return specifier.startsWith('@') ? `${first}/${second}` : first;
}

function relativeTarget(file: string, specifier: string): string | undefined {
  return /^\.\.?(\/|$)/.test(specifier) ? posix.join(posix.dirname(file), specifier) : undefined;
}

function unknownUnits({ units }: Workspace): readonly string[] {
  return units
    .filter((unit) => unit.sort === 'package' && IMPORT_TABLE[unit.name] === undefined)
    .map((unit) => `${unit.folder} has no row in import-table.ts; say there what ${unit.name} may import`);
}

/** Returns cycles of modules at run time. Types may refer to each other. */
function fileCycles(edges: readonly Edge[]): readonly string[] {
  const pairs = edges.flatMap(({ file, specifier, typeOnly }) => {
    const target = specifier === undefined || typeOnly ? undefined : relativeTarget(file, specifier);
    return target === undefined ? [] : [[file, target] as const];
  });
  return findCycles(pairs).map((cycle) => `${cycle[0]} is part of a cycle: ${cycle.join(' → ')}`);
}

/**
 * Returns cycles of packages, including types. Such packages could not be built or published one after
 * another.
 */
function packageCycles(edges: readonly Edge[]): readonly string[] {
  const pairs = edges.flatMap(({ unit, specifier, inTest }) => {
    const target = specifier === undefined || inTest ? undefined : packageOf(specifier);
    return target?.startsWith('@portolan/') && target !== unit.name ? [[unit.name, target] as const] : [];
  });
  return findCycles(pairs).map((cycle) => `${cycle[0]} is part of a cycle: ${cycle.join(' → ')}`);
}
