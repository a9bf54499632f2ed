/**
 * Browser API that the script uses. TypeScript's `dom` library would apply to every file of this tree, and
 * its types of `fetch` and streams differ from those of Node.js.
 */
export interface Browser {
  readonly document: Page;
  readonly location: { readonly href: string; readonly origin: string };
  readonly history: { replaceState(state: null, title: string, address: string): void };
  readonly navigator: { readonly clipboard?: Clipboard };
  readonly DOMParser: new () => { parseFromString(text: string, type: 'text/html'): Page };
  readonly addEventListener: (event: string, listener: (event: BrowserEvent) => void) => void;
}

export interface Clipboard {
  writeText(text: string): Promise<void>;
}

export interface Page {
  readonly activeElement: PageElement | null;
  title: string;
  createElement(tag: string): PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(event: string, listener: (event: BrowserEvent) => void): void;
}

export interface PageElement {
  id: string;
  value: string;
  type: string;
  className: string;
  textContent: string | null;
  readonly action: string;
  readonly href: string;
  readonly name: string;
  readonly isContentEditable: boolean;
  readonly tagName: string;
  append(child: PageElement): void;
  replaceWith(other: PageElement): void;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  focus(): void;
  select(): void;
  addEventListener(event: string, listener: (event: BrowserEvent) => void): void;
}

export interface BrowserEvent {
  readonly target: PageElement | null;
  readonly key?: string;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
  readonly shiftKey?: boolean;
  readonly button?: number;
  preventDefault(): void;
}
