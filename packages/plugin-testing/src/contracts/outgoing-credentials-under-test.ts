import type {
  OutgoingCredentials,
  OutgoingCredentialsContext,
  OutgoingCredentialsKind,
} from '@portolan/plugin-api';

export interface OutgoingCredentialsUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: OutgoingCredentialsKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance that can prove who asks; the suite closes it. Called for every test. */
  readonly create: (
    context: OutgoingCredentialsContext,
  ) => OutgoingCredentials | Promise<OutgoingCredentials>;
  /** Of requests to this server; left out: `https://mcp.acme.example/mcp`. */
  readonly url?: string;
}
