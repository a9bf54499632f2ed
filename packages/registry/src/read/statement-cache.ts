import type { CompiledQuery } from 'kysely';

/** Placeholder in a statement that is compiled once and run with many values. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class Slots {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what the column holds
  of<T extends string | number>(name: string): T {
    // SAFETY: Kysely passes it through as an opaque parameter, and `bind` replaces it before any driver sees
    // it.
    return new Slot(name) as unknown as T;
  }
}

export type BoundQuery<Row> = CompiledQuery<Row>;

/** Caches compiled statements. Evicts the least recently used. */
export class StatementCache<Row> {
  readonly #statements = new Map<string, CompiledQuery<Row>>();
  readonly #max: number;

  constructor(most: number) {
    this.#max = most;
  }

  get(shape: string, compile: (slots: Slots) => CompiledQuery<Row>): CompiledQuery<Row> {
    const known = this.#statements.get(shape);
    const statement = known ?? compile(new Slots());
    if (known !== undefined) this.#statements.delete(shape);
    this.#statements.set(shape, statement);
    if (this.#statements.size > this.#max) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }
}

/** Replaces the placeholders of a compiled statement by values. Throws when a value is missing. */
export function bind<Row>(
  statement: CompiledQuery<Row>,
  values: Readonly<Record<string, string | number | undefined>>,
): BoundQuery<Row> {
  const parameters = statement.parameters.map((parameter) => {
    if (!(parameter instanceof Slot)) return parameter;
    const value = values[parameter.name];
    if (value === undefined) throw new TypeError(`the statement needs a value for "${parameter.name}"`);
    return value;
  });
  return { ...statement, parameters };
}
