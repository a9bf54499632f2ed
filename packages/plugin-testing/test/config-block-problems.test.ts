import type { ConfigBlock } from '@portolan/plugin-api';
import { expect } from 'chai';
import { findConfigBlockProblems } from '../src/index.ts';

const described = { description: 'Something.' } as const;

describe('findConfigBlockProblems', () => {
  it('returns nothing for a valid block that uses every feature', () => {
    const block: ConfigBlock = {
      type: 'object',
      ...described,
      required: ['name'],
      oneOfKeys: [['path'], ['url']],
      properties: {
        name: {
          type: 'string',
          pattern: '^[a-z]+$',
          minLength: 1,
          maxLength: 9,
          examples: ['ada'],
          ...described,
        },
        path: { type: 'string', format: 'path', ...described },
        url: { type: 'string', format: 'uri', secret: true, ...described },
        size: { type: 'integer', minimum: 1, maximum: 10, default: 5, ...described },
        mode: { type: 'string', enum: ['warn', 'stop'], default: 'warn', ...described },
        tags: {
          type: 'array',
          items: { type: 'string' },
          uniqueItems: true,
          minItems: 0,
          default: [],
          ...described,
        },
        labels: { type: 'object', additionalProperties: { type: 'string' }, ...described },
        rate: { type: 'number', default: 0.5, ...described },
        deep: {
          type: 'object',
          default: {},
          properties: { on: { type: 'boolean', default: true, ...described } },
          ...described,
        },
      },
    };
    expect(findConfigBlockProblems(block)).to.deep.equal([]);
  });

  const cases: readonly { title: string; field: ConfigBlock; problem: string }[] = [
    { title: 'a missing description', field: { type: 'string' }, problem: 'field: has no description' },
    {
      title: 'an empty description',
      field: { type: 'string', description: ' ' },
      problem: 'field: has no description',
    },
    {
      title: 'a default of another type',
      field: { type: 'integer', default: '5', ...described },
      problem: 'field: has the default "5", which is not of type integer',
    },
    {
      title: 'a default outside of the choices',
      field: { type: 'string', enum: ['a'], default: 'b', ...described },
      problem: 'field: has the default "b", which is none of the choices',
    },
    {
      title: 'a default out of range',
      field: { type: 'number', maximum: 1, default: 2, ...described },
      problem: 'field: has the default 2, which is above 1',
    },
    {
      title: 'a choice of another type',
      field: { type: 'string', enum: ['a', 1], ...described },
      problem: 'field: has the choice 1, which is not of type string',
    },
    {
      title: 'an example that does not match',
      field: { type: 'string', pattern: '^x', examples: ['y'], ...described },
      problem: 'field: has the example "y", which does not match ^x',
    },
    {
      title: 'an example that is too short',
      field: { type: 'string', minLength: 2, examples: ['y'], ...described },
      problem: 'field: has the example "y", which is shorter than 2',
    },
    {
      title: 'a required field that does not exist',
      field: { type: 'object', required: ['gone'], properties: {}, ...described },
      problem: 'field: requires "gone", which it does not have',
    },
    {
      title: 'a required field with a default',
      field: {
        type: 'object',
        required: ['size'],
        properties: { size: { type: 'integer', default: 1, ...described } },
        ...described,
      },
      problem: 'field: requires "size", which has a default',
    },
    {
      title: 'a choice of keys with a key that does not exist',
      field: { type: 'object', oneOfKeys: [['gone']], properties: {}, ...described },
      problem: 'field: has "gone" in oneOfKeys, but no such field',
    },
    {
      title: 'a fault in the elements of a list',
      field: { type: 'array', items: { type: 'integer', examples: ['x'] }, ...described },
      problem: 'field.[]: has the example "x", which is not of type integer',
    },
    {
      title: 'a fault in the values of a map',
      field: { type: 'object', additionalProperties: { type: 'boolean', examples: [1] }, ...described },
      problem: 'field.*: has the example 1, which is not of type boolean',
    },
  ];
  for (const { title, field, problem } of cases) {
    it(`reports ${title}`, () => {
      const block: ConfigBlock = { type: 'object', ...described, properties: { field } };
      expect(findConfigBlockProblems(block)).to.deep.equal([problem]);
    });
  }

  it('reports a pattern that does not compile', () => {
    const block: ConfigBlock = { type: 'string', pattern: '(', default: 'x', ...described };
    expect(findConfigBlockProblems(block))
      .to.have.lengthOf(1)
      .and.to.match(/does not compile/);
  });

  it('reports a keyword of JSON Schema that config blocks do not have', () => {
    const block = { type: 'string', anyOf: [], ...described } satisfies ConfigBlock & { anyOf: unknown };
    expect(findConfigBlockProblems(block)).to.deep.equal(['block: "anyOf" is no keyword of a config block']);
  });
});
