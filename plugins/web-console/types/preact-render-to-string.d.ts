import type { VNode } from './preact.d.ts';

export function renderToString(node: VNode): string;
