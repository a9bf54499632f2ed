/** Member of a measured virtual server. Without an address and a command, its connection never opens. */
export interface MemberArgument {
  readonly name: string;
  readonly hasPrefix: boolean;
  readonly url?: string;
  readonly command?: readonly string[];
}
