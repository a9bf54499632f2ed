import { h, type VNode } from 'preact';
import { type JsonMap, listOf, mapOf, shortened, textOf } from '../../responses/json-value.ts';
import { section } from '../../layout/parts-of-pages.ts';
import { definitionText, parameterLine } from './definition-item.ts';
import { definitionsOf } from './definitions.ts';
import type { ShownEntry } from '../shown-entry.ts';
import { visibleText } from './visible-text.ts';

const SHOWN_ITEMS = 200;
const SHOWN_ARGUMENTS = 40;
const SHOWN_NAME = 300;

/** Renders the prompts, templates and instructions that a version publishes. */
export function definitionSections({ entry }: ShownEntry): readonly (VNode | null)[] {
  const definitions = definitionsOf(entry);
  if (definitions === undefined) return [];
  const { prompts, templates, instructions, faults } = definitions;
  return [
    prompts.length === 0 ? null : section('prompts', 'Prompts', list(prompts, promptItem)),
    templates.length === 0 ? null : section('templates', 'Resource templates', list(templates, templateItem)),
    instructions === undefined
      ? null
      : section(
          'instructions',
          'Instructions',
          h('p', { class: 'quiet' }, 'The server gives this text to the model.'),
          definitionText(instructions),
        ),
    faults.length === 0
      ? null
      : h(
          'div',
          { class: 'note warn', role: 'note' },
          h('p', null, 'Definitions of this version are unreadable:'),
          h(
            'ul',
            { dir: 'ltr' },
            faults.map((fault) => h('li', null, fault)),
          ),
        ),
  ];
}

function list(items: readonly JsonMap[], itemOf: (item: JsonMap) => VNode): readonly (VNode | null)[] {
  const more = items.length - SHOWN_ITEMS;
  return [
    h('ul', { class: 'tools' }, items.slice(0, SHOWN_ITEMS).map(itemOf)),
    more > 0 ? h('p', { class: 'quiet' }, `and ${more.toLocaleString('en')} more`) : null,
  ];
}

function promptItem(prompt: JsonMap): VNode {
  const parameters = listOf(prompt['arguments'])
    .map(mapOf)
    .map((one) => ({ name: textOf(one['name']) ?? '', isRequired: one['required'] === true }));
  return item(textOf(prompt['name']), prompt, parameterLine(parameters, SHOWN_ARGUMENTS));
}

function templateItem(template: JsonMap): VNode {
  return item(textOf(template['uriTemplate']), template, null);
}

function item(name: string | undefined, { description }: JsonMap, parameters: VNode | null): VNode {
  const text = textOf(description);
  return h(
    'li',
    null,
    h('p', null, h('code', { dir: 'ltr' }, visibleText(shortened(name ?? '(no name)', SHOWN_NAME)))),
    text === undefined ? null : definitionText(text),
    parameters,
  );
}
