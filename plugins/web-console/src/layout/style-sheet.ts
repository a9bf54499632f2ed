import { asset } from './asset.ts';
import { BASE } from './style/base.ts';
import { ENTRIES } from './style/entries.ts';
import { FORMS } from './style/forms.ts';
import { FRAME } from './style/frame.ts';
import { LISTS } from './style/lists.ts';

export const styleSheet = asset(
  'style',
  'css',
  'text/css; charset=utf-8',
  [BASE, FRAME, LISTS, ENTRIES, FORMS].join(''),
);
