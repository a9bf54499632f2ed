import { expect } from 'chai';
import { renderFieldTable } from '../src/index.ts';

describe('renderFieldTable', () => {
  it('has a row for every field, including nested ones', () => {
    const table = renderFieldTable({
      type: 'object',
      required: ['url'],
      properties: {
        url: { type: 'string', format: 'uri', description: 'Where | how.' },
        size: { type: 'integer', default: 50, description: 'How many.' },
        token: { type: 'string', secret: true, description: 'Who.' },
        mode: { type: 'string', enum: ['a', 'b'], default: 'a', description: 'Which.' },
        tags: { type: 'array', items: { type: 'string' }, description: 'What.' },
        retry: {
          type: 'object',
          description: 'Again.',
          properties: { on: { type: 'boolean', description: 'If.' } },
        },
        steps: {
          type: 'array',
          items: { type: 'object', properties: { weight: { type: 'number', description: 'Much.' } } },
          description: 'Then.',
        },
      },
    });
    expect(table.split('\n')).to.deep.equal([
      '| Key | Type | Default | Meaning |',
      '|---|---|---|---|',
      '| `url` | uri | *required* | Where \\| how. |',
      '| `size` | whole number | `50` | How many. |',
      '| `token` | text, *secret* |  | Who. |',
      '| `mode` | `a`, `b` | `"a"` | Which. |',
      '| `tags` | list of text |  | What. |',
      '| `retry` | map |  | Again. |',
      '| `retry.on` | `true` or `false` |  | If. |',
      '| `steps` | list of map |  | Then. |',
      '| `steps[].weight` | number |  | Much. |',
    ]);
  });
});
