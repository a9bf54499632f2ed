import type { Browser, BrowserEvent, Clipboard, PageElement } from './browser.ts';

// Runs in the browser, as a module of its own: it may import types alone. Every page works without it.

// SAFETY: it is loaded by pages, and by nothing else.
const { document, location, history, navigator, DOMParser, addEventListener } =
  globalThis as unknown as Browser;

/** Pause after a key, in milliseconds, before what was typed is searched for. */
const PAUSE_MS = 60;

/** What is being asked for. */
let running: AbortController | undefined;

/**
 * Takes what is marked `data-live` of another page of the console in place of what this one has of it; where nobody
 * has asked for it, only once its list is whole, since that takes the focus away and closes what is open.
 */
async function showInPlace(address: string, wanted: 'anyhow' | 'whole' = 'anyhow'): Promise<void> {
  running?.abort();
  const now = (running = new AbortController());
  const results = document.querySelector('[data-live="results"]');
  results?.setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, signal: now.signal });
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (now.signal.aborted) return;
    if (wanted === 'whole' && (!answer.ok || next.querySelector('[data-pending]') !== null)) return;
    for (const part of next.querySelectorAll('[data-live]')) {
      document.querySelector(`#${part.id}`)?.replaceWith(part);
    }
    document.title = next.title;
    history.replaceState(null, '', address);
    addCopyButtons();
  } catch {
    // What was asked for meanwhile has taken its place; else nothing comes in place, and the form still works.
  } finally {
    if (running === now) {
      running = undefined;
      results?.setAttribute('aria-busy', 'false');
    }
  }
}

/** Pauses in milliseconds before a list is asked for again that is not whole: each longer than the one before, for five minutes in all. */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 10_000;
const MAX_LOOKS_MS = 300_000;

/** The first entries come at once; the others, and what they can be narrowed by, when the server has counted them. */
async function completeList(): Promise<void> {
  let passedMs = 0;
  let pauseMs = FIRST_LOOK_MS;
  while (passedMs < MAX_LOOKS_MS && document.querySelector('[data-pending]') !== null) {
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
    // What is searched for meanwhile finds its own list.
    if (running === undefined) await showInPlace(location.href, 'whole');
    passedMs += pauseMs;
    pauseMs = Math.min(pauseMs * 1.25, MAX_LOOK_MS);
  }
}

/** The address that a form without a script would lead to. */
function addressOf(form: PageElement): string {
  const address = new URL(form.action, location.href);
  const pairs = [...form.querySelectorAll('input[name], select[name]')].flatMap(({ name, value }) =>
    value.trim() === '' ? [] : [[name, value] as [string, string]],
  );
  address.search = new URLSearchParams(pairs).toString();
  return address.href;
}

/** Searches while one types. */
function searchLive(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    const form = target?.closest('form[data-search]');
    if (form === null || form === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void showInPlace(addressOf(form)), PAUSE_MS);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target?.closest('form[data-search]');
    if (form === null || form === undefined) return;
    event.preventDefault();
    clearTimeout(timer);
    void showInPlace(addressOf(form));
  });
}

/** Filters and pages of a list come in place, too. */
function filterLive(): void {
  document.addEventListener('click', (event) => {
    const link = event.target?.closest('a[data-filter]');
    if (link === null || link === undefined || isForNewTab(event)) return;
    event.preventDefault();
    void follow(link);
  });
}

/** What had the focus has it again in the new list. */
async function follow({ id, href }: PageElement): Promise<void> {
  await showInPlace(href);
  if (id !== '') document.querySelector(`#${id}`)?.focus();
}

function isForNewTab({ ctrlKey, metaKey, shiftKey, altKey, button }: BrowserEvent): boolean {
  return ctrlKey === true || metaKey === true || shiftKey === true || altKey === true || (button ?? 0) !== 0;
}

/** Pause after a key, in milliseconds, before a document is looked at. */
const CHECK_PAUSE_MS = 300;

let checking: AbortController | undefined;

/** What is wrong with a document is told while one types. */
function checkLive(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    const form = target?.closest('form[data-check]');
    if (form === null || form === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void check(form), CHECK_PAUSE_MS);
  });
}

/** Where the server cannot be asked, nothing is told until the form is sent. */
async function check(form: PageElement): Promise<void> {
  checking?.abort();
  const now = (checking = new AbortController());
  const fields = [
    ...form.querySelectorAll('input[name="csrf"], select[name="type"], textarea[name="document"]'),
  ];
  const body = new URLSearchParams(
    fields.map(({ name, value }): [string, string] => [name, value]),
  ).toString();
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const address = form.getAttribute('data-check') ?? '';
    const answer = await fetch(address, { method: 'POST', headers, body, signal: now.signal });
    const told = new DOMParser()
      .parseFromString(await answer.text(), 'text/html')
      .querySelector('#findings-list');
    if (!now.signal.aborted && told !== null) document.querySelector('#findings-list')?.replaceWith(told);
  } catch (error) {
    if (!now.signal.aborted && !(error instanceof TypeError)) throw error;
  }
}

/** `/` leads to the search. */
function focusBySlash(): void {
  addEventListener('keydown', (event) => {
    const { activeElement } = document;
    const isTyping =
      activeElement !== null &&
      (/^(?:INPUT|TEXTAREA|SELECT)$/.test(activeElement.tagName) || activeElement.isContentEditable);
    if (
      event.key !== '/' ||
      isTyping ||
      event.ctrlKey === true ||
      event.metaKey === true ||
      event.altKey === true
    )
      return;
    const field = document.querySelector('input[type="search"]');
    if (field === null) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

/** A button beside every text that can be taken along. */
function addCopyButtons(): void {
  const { clipboard } = navigator;
  if (clipboard === undefined) return;
  for (const block of document.querySelectorAll('.code:not(.copies)')) {
    const text = block.querySelector('code')?.textContent ?? '';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      void copy(clipboard, text, button);
    });
    block.append(button);
    block.className = 'code copies';
  }
}

async function copy(clipboard: Clipboard, text: string, button: PageElement): Promise<void> {
  await clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
}

void completeList();
searchLive();
filterLive();
checkLive();
focusBySlash();
addCopyButtons();
