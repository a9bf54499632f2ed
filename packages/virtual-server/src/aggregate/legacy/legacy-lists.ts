import type { JsonRecord } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { JoinedList } from '../../lists/joined-list.ts';
import { viewKeyOf } from '../../lists/list-cache.ts';
import { LIST_KINDS, type ListKind } from '../../lists/list-kind.ts';
import type { Member } from '../../members/member.ts';
import type { MemberLinks } from '../../members/member-links.ts';
import type { Aggregate } from '../aggregate.ts';
import { joinedListOf, knownListOf, type ListAccess, partOf } from '../list-access.ts';
import { ListChanges } from '../list-changes.ts';
import { SeenLists } from '../seen-lists.ts';

/** Maximum number of views to remember. */
const MAX_VIEWS = 64;

export interface LegacyListsOptions {
  readonly aggregate: Aggregate;
  readonly links: MemberLinks;
  /** Capabilities that the client declared. */
  readonly capabilities: JsonRecord;
  readonly sender: () => MessageSender | undefined;
  readonly mintView: () => string;
  /** Sends a notification with this method. */
  readonly notify: (method: string) => void;
}

/** Lists of the members as one session sees them. */
export class LegacyLists {
  readonly #options: LegacyListsOptions;
  readonly #seen: SeenLists;
  /** Lists of members to read again, as `MEMBER/METHOD`. */
  readonly #rereads: ListChanges;
  /** Members whose process for this session has announced a change, so that their lists are no one else's. */
  readonly #ownViews = new Set<Member>();
  /** Other views, by what decides what the client sees, as `Member.viewerOf` names it. */
  readonly #views = new Map<string, string>();
  #sessionView = '';

  constructor(options: LegacyListsOptions) {
    const { aggregate, sender, notify } = options;
    this.#options = options;
    this.#seen = new SeenLists({
      known: (kind) => knownListOf(aggregate, kind, this.access),
      namesOf: (kind) => aggregate.namesOf(kind),
      filter: () => aggregate.filter,
      sender,
      notify,
    });
    this.#rereads = new ListChanges((list) => this.#reread(list));
  }

  get access(): ListAccess {
    const { links, sender } = this.#options;
    return {
      links,
      sender: sender(),
      viewOf: (member) => this.#viewOf(member),
      clientKey: () => '',
      params: {},
      isWatched: (member, kind) => links.has(member) && member.announcesChanges(kind),
    };
  }

  /** Returns a list for the client. */
  async show(kind: ListKind): Promise<JoinedList> {
    const joined = await joinedListOf(this.#options.aggregate, kind, this.access);
    this.#seen.shown(kind, joined);
    return joined;
  }

  /** Notes that the list of a member has changed in this view, or that a member came or went (no view). */
  changed(kind: ListKind, member: Member, view: string | undefined): void {
    if (view !== undefined && view !== this.#viewOf(member)) return;
    this.#seen.noteChange(kind);
    // The list of a new member has not been read yet.
    if (view === undefined && this.#seen.has(kind)) void partOf(member, kind, this.access);
  }

  /** Reads a list again that the process of this session has announced as changed. */
  announced(member: Member, method: string): void {
    if (!this.#ownViews.has(member)) {
      // This process may have changed alone, so its lists are no longer those of other sessions.
      const shared = this.#viewOf(member);
      this.#ownViews.add(member);
      member.lists.split(shared, this.#viewOf(member));
    }
    member.lists.invalidate(method, this.#viewOf(member));
    if (LIST_KINDS.some((kind) => kind.changed === method && this.#seen.has(kind)))
      this.#rereads.note(`${member.name}/${method}`);
  }

  /** Forgets what a lost process had announced, which is not true of the next one. */
  linkEnded(member: Member): void {
    if (!this.#ownViews.delete(member)) return;
    member.lists.drop(this.#sessionView);
    for (const kind of LIST_KINDS) this.#seen.noteChange(kind);
  }

  memberLeft(member: Member): void {
    this.#ownViews.delete(member);
  }

  close(): void {
    this.#seen.close();
    this.#rereads.close();
    for (const member of this.#ownViews) member.lists.drop(this.#sessionView);
  }

  #reread(list: string): void {
    const at = list.indexOf('/');
    const member = this.#options.aggregate.memberNamed(list.slice(0, at));
    const changed = list.slice(at + 1);
    for (const kind of LIST_KINDS)
      if (member !== undefined && kind.changed === changed && this.#seen.has(kind))
        void partOf(member, kind, this.access);
  }

  #viewOf(member: Member): string {
    const { sender, mintView, capabilities } = this.#options;
    if (this.#ownViews.has(member)) {
      this.#sessionView ||= mintView();
      return this.#sessionView;
    }
    const viewer = member.viewerOf(sender());
    const view = this.#views.get(viewer) ?? viewKeyOf(['legacy', viewer, capabilities]);
    // A client may send other headers with each request.
    if (this.#views.size >= MAX_VIEWS) this.#views.clear();
    this.#views.set(viewer, view);
    return view;
  }
}
