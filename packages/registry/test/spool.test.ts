import { expect } from 'chai';
import { Spool } from '../src/sync/spool.ts';
import { prepared } from './support/fill.ts';

describe('Spool', () => {
  it('gives back what was put into it, as often as it is asked', async () => {
    const spool = await Spool.open();
    try {
      const versions = Array.from({ length: 2000 }, (_, at) =>
        prepared({ name: `acme/e${at}`, version: '1.0.0', description: 'x'.repeat(300) }),
      );
      for (const version of versions) await spool.append(version);
      for await (const batch of spool.batches(300)) if (batch[0]?.name === 'acme/e600') break;
      const found = [];
      for await (const batch of spool.batches(300)) found.push(...batch);
      expect(found).to.deep.equal(versions);
    } finally {
      await spool.close();
    }
  });
});
