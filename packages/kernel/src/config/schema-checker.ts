import { type ConfigBlock, parseDuration } from '@portolan/plugin-api';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Place, PositionFinder } from '../faults/config-place.ts';
import type { ConfigProblem } from '../faults/config-problem.ts';
import { type JsonSchema, toCheckSchema } from './json-schema.ts';
import { toProblem } from './schema-problem.ts';

/**
 * Checks values against schemas and says in sentences what is wrong. One of them
 * is made for each check of a configuration, and one for all sources of the API.
 */
export class SchemaChecker {
  readonly #ajv: Ajv2020;
  readonly #positionOf: PositionFinder;
  /** Compiling a schema takes long, and many sources have one kind: ajv knows a schema again by its object. */
  readonly #schemas = new Map<ConfigBlock, JsonSchema>();

  constructor(positionOf: PositionFinder = () => undefined) {
    this.#positionOf = positionOf;
    // `verbose` gives errors the schema and value they are about; `ownProperties`
    // keeps a key named `constructor` from being found in every map. The schemas
    // themselves were checked when plugins were loaded (`findBlockFault`): doing
    // it here costs more than all the rest. Most schemas are run once, so optimizing their
    // code costs more than it saves.
    this.#ajv = new Ajv2020({
      allErrors: true,
      useDefaults: true,
      verbose: true,
      ownProperties: true,
      strict: false,
      strictNumbers: true, // `.inf` is no number of anything
      meta: false,
      validateSchema: false,
      code: { optimize: false },
      logger: false,
    });
    addFormats.default(this.#ajv, ['uri', 'date-time']);
    this.#ajv.addFormat('duration', isDuration);
    this.#ajv.addFormat('path', (text) => text !== '' && !text.includes('\0'));
    this.#ajv.addKeyword({ keyword: 'secret', schemaType: 'boolean' });
    this.#ajv.addKeyword({ keyword: 'expected', schemaType: 'string' });
    this.#ajv.addKeyword({
      keyword: 'oneOfKeys',
      type: 'object',
      schemaType: 'array',
      errors: false,
      validate: hasOneGroup,
    });
    this.#ajv.addKeyword({
      keyword: 'anyOfKeys',
      type: 'object',
      schemaType: 'array',
      errors: false,
      validate: hasAnyKey,
    });
  }

  /** `check` by a block. */
  checkBlock(block: ConfigBlock, value: unknown, place: Place): readonly ConfigProblem[] {
    const schema = this.#schemas.get(block) ?? toCheckSchema(block);
    this.#schemas.set(block, schema);
    return this.check(schema, value, place);
  }

  /**
   * All problems of a value that stands at a place. Fills defaults into the value
   * itself; does nothing else to it.
   */
  check(schema: JsonSchema, value: unknown, place: Place): readonly ConfigProblem[] {
    const validate = this.#ajv.compile(schema);
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    validate.errors = null; // it would hold what was refused until the next check
    return errors.flatMap((error: ErrorObject) => toProblem(error, value, place, this.#positionOf));
  }
}

function hasAnyKey(keys: readonly string[], value: object): boolean {
  return keys.some((key) => Object.hasOwn(value, key));
}

/** Negative durations have no meaning in a configuration. */
function isDuration(text: string): boolean {
  try {
    return !text.startsWith('-') && parseDuration(text) >= 0;
  } catch {
    return false; // it throws ERR_DURATION for whatever is none
  }
}

function hasOneGroup(groups: readonly (readonly string[])[], value: object): boolean {
  const begun = groups.filter((group) => group.some((key) => Object.hasOwn(value, key)));
  return begun.length === 1 && begun[0]!.every((key) => Object.hasOwn(value, key));
}
