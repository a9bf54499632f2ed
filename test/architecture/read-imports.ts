import type { Node } from '@babel/types';
import { parseTypeScript } from '../../scripts/parse-typescript.ts';

export interface Import {
  /** The text between the quotes. Undefined for a computed specifier. */
  readonly specifier: string | undefined;
  /** True if nothing of the import remains at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/**
 * Returns all imports of a TypeScript module: import and export-from declarations, dynamic imports and
 * `import('x').T` in types, in source order. Throws if the text does not parse.
 */
export function readImports(file: string, text: string): readonly Import[] {
  return parseTypeScript(file, text)
    .nodes.toSorted((left, right) => left.start - right.start)
    .flatMap((node) => {
      const found = importOf(node);
      return found === undefined ? [] : [{ ...found, line: lineOf(text, node.start) }];
    });
}

function importOf(node: Node): Omit<Import, 'line'> | undefined {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all other nodes import nothing
  switch (node.type) {
    case 'ImportDeclaration':
      // `import { type A } from 'a'` remains as `import 'a'` (verbatimModuleSyntax), so it counts as run
      // time.
      return { specifier: node.source.value, typeOnly: node.importKind === 'type' };
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, typeOnly: node.exportKind === 'type' };
    case 'ExportNamedDeclaration':
      return node.source ? { specifier: node.source.value, typeOnly: node.exportKind === 'type' } : undefined;
    case 'ImportExpression':
      return { specifier: literalOf(node.source), typeOnly: false };
    case 'TSImportType':
      return { specifier: node.source.value, typeOnly: true };
    case 'TSExternalModuleReference':
      return { specifier: node.expression.value, typeOnly: false };
    default:
      return undefined;
  }
}

function literalOf(source: Node): string | undefined {
  if (source.type === 'StringLiteral') return source.value;
  if (source.type !== 'TemplateLiteral' || source.expressions.length > 0) return undefined;
  return source.quasis[0]?.value.cooked ?? undefined;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
