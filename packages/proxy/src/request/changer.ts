export interface Changer {
  readonly name: string;
  readonly by: readonly string[];
}
