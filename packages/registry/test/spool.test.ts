import { expect } from 'chai';
import { Spool, type SpoolStep } from '../src/sync/spool.ts';
import { prepared } from './support/fill.ts';

describe('Spool', () => {
  it('gives back what was put into it, as often as it is asked', async () => {
    const spool = await Spool.open();
    try {
      const steps = Array.from(
        { length: 2000 },
        (_, at): SpoolStep =>
          at % 7 === 0
            ? { removal: { type: 'server', name: `acme/e${at}` } }
            : {
                version: prepared({ name: `acme/e${at}`, version: '1.0.0', description: 'ä'.repeat(300) }),
              },
      );
      for (const step of steps.slice(1000)) await spool.append(step);
      await spool.clear();
      for (const step of steps) await spool.append(step);
      let seen = 0;
      for await (const batch of spool.batches(300)) if ((seen += batch.length) > 500) break;
      const found = [];
      for await (const batch of spool.batches(300)) found.push(...batch);
      expect(found).to.deep.equal(steps);
    } finally {
      await spool.close();
    }
  });
});
