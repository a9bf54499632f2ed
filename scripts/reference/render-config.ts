import { environmentName } from '../../packages/kernel/src/config/environment-names.ts';
import { WORKLOAD_LISTS } from '../../packages/kernel/src/kind-lists/kind-lists.ts';
import { escapeCell } from './escape-cell.ts';

/** Part of JSON Schema that the page uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly writeOnly?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly { readonly required?: readonly string[] }[];
}

const HEAD = `# Configuration

Every key of \`portolan.config.yaml\` with the kinds that Portolan ships. [Configure the server](../guides/registry/configure-server.md)
says how to write and check the file. [config.schema.json](config.schema.json) is the same as a JSON Schema, and
\`portolan config schema\` prints it with the kinds of your plugins.

A setting that can also come from the environment shows its variable; lists, maps and the settings of kinds for workloads come from the
file only. The order is flag, environment, file, default. In fields marked *secret*, \`\${NAME}\` inserts a variable of the environment, and
\`file:PATH\` the content of a file.
`;

interface Row {
  readonly key: string;
  readonly type: string;
  readonly value: string;
  readonly variable: string;
  readonly description: string;
}

/** Returns the reference page of all settings, with a table per top-level key. */
export function renderConfig(schema: Schema): string {
  const sections = Object.entries(schema.properties ?? {})
    .filter(([key]) => key !== '$schema')
    .map(([key, part]) => renderSection(key, part, schema.required?.includes(key) === true));
  return [HEAD, ...sections].join('\n');
}

function renderSection(key: string, part: Schema, required: boolean): string {
  const rows = rowsOf(key, part, { inList: false, required }).filter((row) => !row.key.endsWith('[]'));
  const lines = rows.map(
    (row) => `| \`${row.key}\` | ${row.type} | ${row.value} | ${row.variable} | ${row.description} |`,
  );
  const table = ['| Key | Type | Default | Variable | Meaning |', '|---|---|---|---|---|', ...lines];
  const about = part.description === undefined ? [] : [part.description, ''];
  const need = required ? ['Required.', ''] : [];
  return [`## ${key}`, '', ...about, ...need, ...table, ''].join('\n');
}

interface RenderContext {
  readonly inList: boolean;
  readonly required: boolean;
}

function rowsOf(key: string, part: Schema, { inList, required }: RenderContext): readonly Row[] {
  const properties = Object.entries(part.properties ?? {});
  const alternatives = (part.anyOf ?? []).flatMap((one) => (one.properties === undefined ? [] : [one]));
  const value = part.items ?? part.additionalProperties;
  const inside = [
    ...properties.map(([name, child]) => ({ key: `${key}.${name}`, child, inList, from: part, name })),
    ...alternatives.flatMap((one) =>
      Object.entries(one.properties ?? {}).map(([name, child]) => ({
        key: `${key}.${name}`,
        child,
        inList,
        from: one,
        name,
      })),
    ),
  ].flatMap((one) =>
    rowsOf(one.key, one.child, {
      inList: one.inList,
      required: one.from.required?.includes(one.name) === true,
    }),
  );
  const elements =
    typeof value === 'object' && (value.properties !== undefined || value.anyOf !== undefined)
      ? rowsOf(part.items === undefined ? `${key}.*` : `${key}[]`, value, { inList: true, required: false })
      : [];
  if (
    properties.length > 0 &&
    part.additionalProperties === false &&
    !key.includes('.') &&
    !key.endsWith('[]')
  ) {
    return [...inside, ...elements];
  }
  return [rowOf(key, part, { inList, required }), ...inside, ...elements];
}

function rowOf(key: string, part: Schema, { inList, required }: RenderContext): Row {
  const scalar = ['string', 'integer', 'number', 'boolean'].includes(String(part.type));
  return {
    key,
    type: typeOf(part) + (part.writeOnly === true ? ', *secret*' : ''),
    value: part.default !== undefined ? `\`${JSON.stringify(part.default)}\`` : required ? '*required*' : '',
    variable: scalar && !inList && !isOfWorkloads(key) ? `\`${environmentName(key.split('.'))}\`` : '',
    description: escapeCell(part.description ?? ''),
  };
}

/** Returns true for settings of kinds for workloads: `portolan run` reads them from the file only. */
function isOfWorkloads(key: string): boolean {
  return WORKLOAD_LISTS.some((list) => key.startsWith(`${list}.`));
}

function typeOf(part: Schema): string {
  if (part.enum !== undefined) return part.enum.map((choice) => `\`${String(choice)}\``).join(', ');
  if (part.items !== undefined && part.type === 'array') return `list of ${typeOf(part.items)}`;
  if (part.anyOf !== undefined) return part.anyOf.map(typeOf).join(' or ');
  if (Array.isArray(part.type)) return part.type.map(nameOfType).join(' or ');
  return nameOfType(String(part.type ?? 'anything')) + rangeOf(part);
}

function nameOfType(type: string): string {
  return (
    { object: 'map', array: 'list', string: 'text', integer: 'whole number', boolean: 'true or false' }[
      type
    ] ?? type
  );
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? '' : `, at most ${maximum}`;
}
