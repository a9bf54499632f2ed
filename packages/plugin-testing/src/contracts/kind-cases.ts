import { parseConfigPath } from '@portolan/kernel';
import type { ConfigBlock, Kind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { findConfigBlockProblems } from '../config-block-problems.ts';
import { deepFrozen } from '../deep-frozen.ts';
import { exampleBlocks } from '../example-blocks.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import type { ContractCase } from './contract-case.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
type AnyKind = Pick<Kind<any, unknown>, 'kind' | 'config' | 'check'>;

export function kindCases(kind: AnyKind, blocks: readonly unknown[] = []): readonly ContractCase[] {
  return [
    {
      title: 'has a name of lower-case letters, digits and hyphens',
      run: async () => {
        // Only secret stores may begin with a digit. The kernel rejects other kinds.
        expect(kind.kind).to.match(/^[0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      },
    },
    {
      title: 'has a config block that is an object, with every field described and every default fitting',
      run: async () => {
        expect(kind.config.type, 'type of the block').to.equal('object');
        expect(findConfigBlockProblems(kind.config)).to.deep.equal([]);
      },
    },
    {
      title: 'checks a block, if it does, without changing it, and with the same result each time',
      run: () => leavesNothingOpen(async () => checkAll(kind, [...blocks, ...exampleBlocks(kind.config)])),
    },
    {
      title: 'finds no problem, if it checks, in a valid block',
      run: async () => {
        for (const block of blocks) {
          // Ignore warnings: a file that an example names need not exist.
          const messages = [answerTo(kind, block)].flat();
          const wrong = messages.filter((problem) => Object(problem).isWarning !== true);
          expect(wrong, JSON.stringify(block)).to.deep.equal([]);
        }
      },
    },
  ];
}

function answerTo(kind: AnyKind, block: unknown): unknown {
  return kind.check === undefined
    ? []
    : kind.check(block, { directory: process.cwd(), trustsLoopback: true });
}

function checkAll(kind: AnyKind, blocks: readonly unknown[]): void {
  for (const block of blocks) {
    const frozen = deepFrozen(structuredClone(block));
    const response = answerTo(kind, frozen);
    expect(answerTo(kind, frozen), 'the second answer').to.deep.equal(response);
    expect(response, 'the answer').to.be.an('array');
    // SAFETY: the assertion above checks that this is an array.
    for (const problem of response as readonly unknown[]) requireProblem(problem, kind.config);
  }
}

function requireProblem(problem: unknown, config: ConfigBlock): void {
  expect(problem).to.be.an('object').and.to.include.all.keys('place', 'found', 'expected');
  const { place, found: value, expected, didYouMean = '', isWarning = false } = Object(problem);
  expect(isWarning, 'isWarning').to.be.a('boolean');
  expect([place, value, expected, didYouMean].map((part) => typeof part)).to.deep.equal(
    Array(4).fill('string'),
  );
  const at = parseConfigPath(place);
  expect(at !== undefined && leadsInto(config, at), `${place} is a place in the config block`).to.equal(true);
}

function leadsInto(block: ConfigBlock, place: readonly (string | number)[]): boolean {
  let inner: ConfigBlock | undefined = block;
  for (const part of place) {
    const { properties = {}, additionalProperties, items }: ConfigBlock = inner;
    if (typeof part === 'number') inner = items;
    else inner = Object.hasOwn(properties, part) ? properties[part] : additionalProperties;
    if (inner === undefined) return false;
  }
  return true;
}
