import { expect } from 'chai';
import { Spool, type SpoolStep } from '../src/sync/write/spool.ts';
import { prepared } from './support/fill.ts';

describe('Spool', () => {
  it('returns all stored steps on every read', async () => {
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

  it('keeps the order of steps that are larger than its write buffer', async () => {
    const spool = await Spool.open();
    const sizes = [0, 90_000, 400_000, 1, 262_140, 1_000_000, 300];
    try {
      const steps = sizes.map(
        (size, at): SpoolStep => ({
          version: prepared({ name: `acme/e${at}`, version: '1.0.0', description: '\u20ac\n'.repeat(size) }),
        }),
      );
      for (const step of steps) await spool.append(step);
      const found = [];
      for await (const batch of spool.batches(2)) found.push(...batch);
      expect(found).to.deep.equal(steps);
    } finally {
      await spool.close();
    }
  });

  it('throws above its maximum number of bytes', async () => {
    const spool = await Spool.open(1_000_000);
    const step: SpoolStep = {
      version: prepared({ name: 'acme/e', version: '1.0.0', description: 'x'.repeat(9000) }),
    };
    let taken = 0;
    try {
      for (; taken < 1000; taken += 1) await spool.append(step);
      expect.fail('it has no end');
    } catch (error) {
      expect(error).to.include({
        code: 'ERR_SOURCE_TOO_LARGE',
        message: 'The source has more than 1000000 bytes of entries, which is the maximum.',
      });
      expect(taken).to.be.within(10, 110);
    } finally {
      await spool.close();
    }
  });

  it('returns nothing when it is empty or was cleared', async () => {
    const spool = await Spool.open();
    const count = async (): Promise<number> => {
      let batches = 0;
      for await (const _ of spool.batches(10)) batches += 1;
      return batches;
    };
    try {
      expect(await count()).to.equal(0);
      await spool.append({ removal: { type: 'server', name: 'acme/gone' } });
      expect(await count()).to.equal(1);
      await spool.clear();
      expect(await count()).to.equal(0);
    } finally {
      await spool.close();
    }
  });
});
