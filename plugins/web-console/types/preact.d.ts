/**
 * What pages use of Preact. Its own declarations bring the types of browsers to
 * every file of this tree, where they say of `fetch`, streams and more what is not so in Node.js.
 */
export interface VNode {
  readonly type: unknown;
  readonly props: object;
}

export type ComponentChildren =
  | VNode
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly ComponentChildren[];

/** Attributes by their names in HTML. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | { readonly __html: string };
}

/** Several nodes beside each other. */
export const Fragment: unique symbol;

export function h(
  tag: string | typeof Fragment,
  attributes: Attributes | null,
  ...children: ComponentChildren[]
): VNode;
