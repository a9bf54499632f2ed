import { isJsonObject } from '@portolan/plugin-api';
export { isJsonObject } from '@portolan/plugin-api';
/** Id of a request in its original spelling, so that the response has the same type and digits. */
export interface MessageId {
  /** JSON text, such as `1`, `"1"` or `9007199254740993`. */
  readonly text: string;
  /** Normalized form: two ids are the same exactly when their keys are equal. */
  readonly key: string;
}

/** Parsed JSON object. Its member names are user input: read them with `memberOf` only. */
export type JsonRecord = Readonly<Record<string, unknown>>;

interface Parsed {
  readonly text: string;
}

export interface RequestMessage extends Parsed {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonRecord | undefined;
}

export interface NotificationMessage extends Parsed {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonRecord | undefined;
}

export interface ResponseMessage extends Parsed {
  readonly kind: 'response';
  readonly id: MessageId;
  readonly result: unknown;
  /** Code of the error. Undefined for a result, and for an error without a numeric code. */
  readonly errorCode: number | undefined;
  readonly isError: boolean;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Returns an own property of the object. Ignores inherited ones such as `constructor`. */
export function memberOf(record: JsonRecord | undefined, name: string): unknown {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Returns `params._meta`. Undefined when it is missing or not an object. */
export function metaOf(params: JsonRecord | undefined): JsonRecord | undefined {
  const meta = memberOf(params, '_meta');
  return isJsonObject(meta) ? meta : undefined;
}
