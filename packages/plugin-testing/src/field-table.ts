import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Returns the fields of a config block as a Markdown table, with dots in nested names. A test can compare it
 * with a README.
 */
export function renderFieldTable(block: ConfigBlock): string {
  const rows = fieldRows(block, '').map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`);
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function fieldRows(block: ConfigBlock, prefix: string): readonly (readonly string[])[] {
  return Object.entries(block.properties ?? {}).flatMap(([name, field]) => {
    const key = `${prefix}${name}`;
    const required = block.required?.includes(name) === true;
    const fallback = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
    const secret = field.secret === true ? ', *secret*' : '';
    const row = [
      `\`${key}\``,
      typeOf(field) + secret,
      required ? '*required*' : fallback,
      field.description ?? '',
    ];
    const elements = field.items === undefined ? [] : fieldRows(field.items, `${key}[].`);
    return [row, ...fieldRows(field, `${key}.`), ...elements];
  });
}

function typeOf(field: ConfigBlock): string {
  if (field.enum !== undefined) return field.enum.map((choice) => `\`${choice}\``).join(', ');
  switch (field.type) {
    case 'string':
      return field.format ?? 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return '`true` or `false`';
    case 'array':
      return field.items === undefined ? 'list' : `list of ${typeOf(field.items)}`;
    case 'object':
      return 'map';
    case 'number':
      return 'number';
    default:
      return field.type satisfies never;
  }
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
}
