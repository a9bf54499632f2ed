import type { Browser, BrowserEvent, Clipboard, PageElement } from './browser.ts';

// Runs in the browser as a separate module, so it may import only types. Every page also works without it.

// SAFETY: only pages load this module.
const { document, location, history, navigator, DOMParser, addEventListener } =
  globalThis as unknown as Browser;

/** Delay in milliseconds between the last keystroke and the search. */
const PAUSE_MS = 60;

let running: AbortController | undefined;

/**
 * Replaces each `data-live` part of this page with that of another one. With `whole`, it waits until the list
 * is complete: a replacement that the user did not request would take the focus and close open elements.
 */
async function showInline(address: string, requested: 'anyhow' | 'whole' = 'anyhow'): Promise<void> {
  running?.abort();
  const now = (running = new AbortController());
  const results = document.querySelector('[data-live="results"]');
  results?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal: now.signal });
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (now.signal.aborted) return;
    if (requested === 'whole' && (!response.ok || next.querySelector('[data-pending]') !== null)) return;
    for (const part of next.querySelectorAll('[data-live]')) {
      document.querySelector(`#${part.id}`)?.replaceWith(part);
    }
    document.title = next.title;
    history.replaceState(null, '', address);
    addCopyButtons();
  } catch {
    // A newer request aborts this one. After other failures the form still works without a script.
  } finally {
    if (running === now) {
      running = undefined;
      results?.setAttribute('aria-busy', 'false');
    }
  }
}

/**
 * First polling interval of an incomplete list in milliseconds. Later ones grow, up to a total of five
 * minutes.
 */
const FIRST_LOOK_MS = 500;
const MAX_LOOK_MS = 10_000;
const MAX_LOOKS_MS = 300_000;

/** Polls until the list is complete. The page already shows the first entries. */
async function completeList(): Promise<void> {
  let passedMs = 0;
  let pauseMs = FIRST_LOOK_MS;
  while (passedMs < MAX_LOOKS_MS && document.querySelector('[data-pending]') !== null) {
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
    // A running search replaces the list itself.
    if (running === undefined) await showInline(location.href, 'whole');
    passedMs += pauseMs;
    pauseMs = Math.min(pauseMs * 1.25, MAX_LOOK_MS);
  }
}

/** Returns the address that the form would open without a script. */
function addressOf(form: PageElement): string {
  const address = new URL(form.action, location.href);
  const pairs = [...form.querySelectorAll('input[name], select[name]')].flatMap(({ name, value }) =>
    value.trim() === '' ? [] : [[name, value] as [string, string]],
  );
  address.search = new URLSearchParams(pairs).toString();
  return address.href;
}

function searchLive(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    const form = target?.closest('form[data-search]');
    if (form === null || form === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void showInline(addressOf(form)), PAUSE_MS);
  });
  document.addEventListener('submit', (event) => {
    const form = event.target?.closest('form[data-search]');
    if (form === null || form === undefined) return;
    event.preventDefault();
    clearTimeout(timer);
    void showInline(addressOf(form));
  });
}

/** Replaces the list in place when the user follows a filter or page link. */
function filterLive(): void {
  document.addEventListener('click', (event) => {
    const link = event.target?.closest('a[data-filter]');
    if (link === null || link === undefined || isForNewTab(event)) return;
    event.preventDefault();
    void follow(link);
  });
}

/** Restores the focus after the list was replaced. */
async function follow({ id, href }: PageElement): Promise<void> {
  await showInline(href);
  if (id !== '') document.querySelector(`#${id}`)?.focus();
}

function isForNewTab({ ctrlKey, metaKey, shiftKey, altKey, button }: BrowserEvent): boolean {
  return ctrlKey === true || metaKey === true || shiftKey === true || altKey === true || (button ?? 0) !== 0;
}

/** Delay in milliseconds between the last keystroke and the check of a document. */
const CHECK_PAUSE_MS = 300;

let checking: AbortController | undefined;

function checkLive(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', ({ target }) => {
    const form = target?.closest('form[data-check]');
    if (form === null || form === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void check(form), CHECK_PAUSE_MS);
  });
}

/** Checks the document. If the server is unreachable, shows nothing until the form is submitted. */
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
    const response = await fetch(address, { method: 'POST', headers, body, signal: now.signal });
    const message = new DOMParser()
      .parseFromString(await response.text(), 'text/html')
      .querySelector('#findings-list');
    if (!now.signal.aborted && message !== null)
      document.querySelector('#findings-list')?.replaceWith(message);
  } catch (error) {
    if (!now.signal.aborted && !(error instanceof TypeError)) throw error;
  }
}

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

/** Adds a copy button to each code block. */
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
