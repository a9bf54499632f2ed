import { expect } from 'chai';
import { formatDriftLine } from '../../src/proxy/drift-line.ts';

const OPTIONS = { id: 'a-b', at: new Date(0), component: 'notes', backend: 'io.acme/notes' };

describe('formatDriftLine', () => {
  it('names the item and the changed fields, and never their texts', () => {
    const line = formatDriftLine(
      {
        type: 'drift_held',
        kind: 'tool',
        name: 'search\n\u202e"',
        change: 'changed',
        class: 'held',
        fields: ['/description', '/inputSchema/properties/query/description'],
      },
      OPTIONS,
    );
    expect(line.trimEnd()).to.not.include('\n');
    expect(JSON.parse(line)).to.deep.include({
      type: 'drift_held',
      outcome: 'denied',
      component: 'notes',
      metadata: {
        extra: {
          backend_name: 'io.acme/notes',
          change: 'changed',
          class: 'held',
          fields: ['/description', '/inputSchema/properties/query/description'],
        },
      },
    });
  });

  it('is short when a server has long names and many fields', () => {
    const fields = Array.from({ length: 1000 }, (_, index) => `/${'x'.repeat(5000)}${index}`);
    const line = formatDriftLine(
      {
        type: 'drift_detected',
        kind: 'tool',
        name: 'y'.repeat(1e6),
        change: 'changed',
        class: 'note',
        fields,
      },
      OPTIONS,
    );
    expect(line.length).to.be.at.most(16 * 1024);
  });
});
