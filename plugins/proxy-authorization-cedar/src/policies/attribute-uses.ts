import type { Expr, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject } from '@portolan/plugin-api';

/** Attributes that policies read, with inferred types. */
export interface Shape {
  readonly members: Map<string, Shape>;
  type: UsedType | undefined;
}

export type UsedType = 'String' | 'Boolean' | 'decimal' | 'Set';
export type Root = 'principal' | 'resource' | 'context';

const ROOTS: readonly string[] = ['principal', 'resource', 'context'] satisfies readonly Root[];

/** Operand types by operator. */
const OPERANDS = new Map<string, UsedType | undefined>([
  ['&&', 'Boolean'],
  ['||', 'Boolean'],
  ['!', 'Boolean'],
  // Claims and arguments are decimals, which Cedar does not compare with `<`; the validator then reports it.
  ['<', 'decimal'],
  ['<=', 'decimal'],
  ['>', 'decimal'],
  ['>=', 'decimal'],
  ['+', 'decimal'],
  ['-', 'decimal'],
  ['*', 'decimal'],
  ['neg', 'decimal'],
  ['lessThan', 'decimal'],
  ['lessThanOrEqual', 'decimal'],
  ['greaterThan', 'decimal'],
  ['greaterThanOrEqual', 'decimal'],
  ['containsAll', 'Set'],
  ['containsAny', 'Set'],
  ['isEmpty', 'Set'],
  ['like', 'String'],
]);

/** Returns the attributes that policies use, with their types, because no schema declares them. */
export function attributeUses(policies: readonly PolicyJson[]): Readonly<Record<Root, Shape>> {
  const uses = { principal: newShape(), resource: newShape(), context: newShape() };
  for (const { conditions } of policies) for (const { body } of conditions) walk(body, 'Boolean', uses);
  return uses;
}

function newShape(): Shape {
  return { members: new Map(), type: undefined };
}

function walk(expr: Expr, as: UsedType | undefined, uses: Readonly<Record<Root, Shape>>): void {
  const chain = chainOf(expr);
  if (chain !== undefined) {
    note(uses[chain.root], chain.path, as);
    return;
  }
  for (const [operator, operands] of Object.entries(expr)) walkOperands(operator, operands, uses);
}

function walkOperands(operator: string, operands: unknown, uses: Readonly<Record<Root, Shape>>): void {
  const parts = partsOf(operands);
  if (operator === '==' || operator === '!=') {
    const [left, right] = parts;
    if (left === undefined || right === undefined) return;
    walk(left, literalType(right), uses);
    walk(right, literalType(left), uses);
    return;
  }
  if (operator === 'contains') {
    for (const [at, part] of parts.entries()) walk(part, at === 0 ? 'Set' : 'String', uses);
    return;
  }
  if (operator === 'has' && isJsonObject(operands)) {
    const [left] = parts;
    const chain = left === undefined ? undefined : chainOf(left);
    const attr: unknown = operands['attr'];
    const names = (Array.isArray(attr) ? attr : [attr]).filter(
      (name): name is string => typeof name === 'string',
    );
    if (chain !== undefined) note(uses[chain.root], [...chain.path, ...names], undefined);
    return;
  }
  for (const part of parts) walk(part, OPERANDS.get(operator), uses);
}

/** Returns the operands of an expression, which are a list or a map by side. */
function partsOf(operands: unknown): readonly Expr[] {
  const values: readonly unknown[] = Array.isArray(operands)
    ? operands
    : isJsonObject(operands)
      ? Object.values(operands)
      : [];
  // SAFETY: in an expression, a map that is not a literal is an expression.
  return values.filter((value) => isJsonObject(value)) as readonly Expr[];
}

function literalType(expr: Expr): UsedType | undefined {
  const value: unknown = 'Value' in expr ? expr.Value : undefined;
  if ('decimal' in expr) return 'decimal';
  if ('Set' in expr) return 'Set';
  if (typeof value === 'number') return 'decimal';
  if (typeof value === 'boolean') return 'Boolean';
  return typeof value === 'string' ? 'String' : undefined;
}

/** Returns `context.claim_realm.roles` or only `context`; undefined for other expressions. */
function chainOf(expr: Expr): { readonly root: Root; readonly path: readonly string[] } | undefined {
  const path: string[] = [];
  let inner: unknown = expr;
  for (;;) {
    if (!isJsonObject(inner)) return undefined;
    const root = inner['Var'];
    if (typeof root === 'string' && ROOTS.includes(root)) {
      // SAFETY: the check above leaves one of these three.
      return { root: root as Root, path: path.toReversed() };
    }
    const access: unknown = inner['.'];
    if (!isJsonObject(access) || typeof access['attr'] !== 'string') return undefined;
    path.push(access['attr']);
    inner = access['left'];
  }
}

function note(shape: Shape, path: readonly string[], as: UsedType | undefined): void {
  let at = shape;
  for (const name of path) {
    const next = at.members.get(name) ?? newShape();
    at.members.set(name, next);
    at = next;
  }
  at.type ??= as;
}
