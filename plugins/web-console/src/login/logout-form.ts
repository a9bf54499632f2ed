import { h, type VNode } from 'preact';
import type { View } from '../layout/view.ts';

export function logoutForm({ visitor, at }: Pick<View, 'visitor' | 'at'>): VNode | null {
  if (!visitor.hasSession) return null;
  return h(
    'form',
    { class: 'logout', method: 'post', action: at('/logout') },
    h('input', { type: 'hidden', name: 'csrf', value: visitor.csrf }),
    h('button', { class: 'button quiet', type: 'submit' }, 'Log out'),
  );
}
