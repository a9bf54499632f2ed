/** Error for a member whose connection did not open in time. */
export class MemberTimeout extends Error {
  override readonly name = 'MemberTimeout';

  constructor(ms: number) {
    super(`its connection did not open within ${Math.round(ms / 1000)} s`);
  }
}
