import { type ConfigBlock, parseDuration } from '@portolan/plugin-api';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { ConfigPath, PositionFinder } from '../faults/config-path.ts';
import type { ConfigProblem } from '../faults/config-problem.ts';
import { type JsonSchema, toCheckSchema } from './json-schema.ts';
import { toProblem } from './schema-problem.ts';

/**
 * Validates values against schemas. Each validation of a configuration uses its own instance. All sources
 * that the API creates share one.
 */
export class SchemaChecker {
  readonly #ajv: Ajv2020;
  readonly #positionOf: PositionFinder;
  /** Cached by block, because compilation is slow and ajv caches by object identity. */
  readonly #schemas = new Map<ConfigBlock, JsonSchema>();

  constructor(positionOf: PositionFinder = () => undefined) {
    this.#positionOf = positionOf;
    // `verbose` adds schema and value to errors. `ownProperties` prevents matching inherited names such as
    // `constructor`. ajv need not validate the schemas, because `findBlockFault` did when the plugin was
    // loaded. Code optimization is off because most schemas run once.
    this.#ajv = new Ajv2020({
      allErrors: true,
      useDefaults: true,
      verbose: true,
      ownProperties: true,
      strict: false,
      strictNumbers: true, // rejects `.inf` as a number
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

  checkBlock(block: ConfigBlock, value: unknown, place: ConfigPath): readonly ConfigProblem[] {
    const schema = this.#schemas.get(block) ?? toCheckSchema(block);
    this.#schemas.set(block, schema);
    return this.check(schema, value, place);
  }

  /** Returns all problems. Fills defaults into `value` in place. */
  check(schema: JsonSchema, value: unknown, place: ConfigPath): readonly ConfigProblem[] {
    const validate = this.#ajv.compile(schema);
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    validate.errors = null; // releases the rejected value until the next check
    return errors.flatMap((error: ErrorObject) => toProblem(error, value, place, this.#positionOf));
  }
}

function hasAnyKey(keys: readonly string[], value: object): boolean {
  return keys.some((key) => Object.hasOwn(value, key));
}

/**
 * Returns whether a text is a Go duration that is not negative, because no setting accepts a negative one.
 */
function isDuration(text: string): boolean {
  try {
    return !text.startsWith('-') && parseDuration(text) >= 0;
  } catch {
    return false; // throws ERR_SETTING for invalid text
  }
}

function hasOneGroup(groups: readonly (readonly string[])[], value: object): boolean {
  const startedGroups = groups.filter((group) => group.some((key) => Object.hasOwn(value, key)));
  return startedGroups.length === 1 && startedGroups[0]!.every((key) => Object.hasOwn(value, key));
}
