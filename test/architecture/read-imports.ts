import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  /** What stands between the quotes; undefined when it is computed at run time. */
  readonly specifier: string | undefined;
  /** True when nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/**
 * Everything a module of TypeScript imports: import and export-from
 * declarations, dynamic imports and `import('x').T` in types, in the order of
 * their places. Throws when the text does not parse.
 */
export function readImports(file: string, text: string): readonly Import[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new SyntaxError(`${file}: ${errors[0].message}`);
  const found: {
    readonly start: number;
    readonly specifier: string | undefined;
    readonly typeOnly: boolean;
  }[] = [];
  new Visitor({
    // `import { type A } from 'a'` stays behind as `import 'a'` (verbatimModuleSyntax): it counts as run time.
    ImportDeclaration: ({ start, source, importKind }) => {
      found.push({ start, specifier: source.value, typeOnly: importKind === 'type' });
    },
    ExportAllDeclaration: ({ start, source, exportKind }) => {
      found.push({ start, specifier: source.value, typeOnly: exportKind === 'type' });
    },
    ExportNamedDeclaration: ({ start, source, exportKind }) => {
      if (source) found.push({ start, specifier: source.value, typeOnly: exportKind === 'type' });
    },
    ImportExpression: ({ start, source }) => {
      found.push({ start, specifier: literalOf(source), typeOnly: false });
    },
    TSImportType: ({ start, source }) => {
      found.push({ start, specifier: source.value, typeOnly: true });
    },
    TSExternalModuleReference: ({ start, expression }) => {
      found.push({ start, specifier: expression.value, typeOnly: false });
    },
  }).visit(program);
  return found
    .toSorted((left, right) => left.start - right.start)
    .map(({ start, specifier, typeOnly }) => ({ specifier, typeOnly, line: lineOf(text, start) }));
}

function literalOf(source: {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string | null } }[];
}): string | undefined {
  if (source.type === 'Literal' && typeof source.value === 'string') return source.value;
  const [only, ...others] = source.quasis ?? [];
  return source.type === 'TemplateLiteral' && others.length === 0
    ? (only?.value.cooked ?? undefined)
    : undefined;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
