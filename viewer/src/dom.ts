// The page's elements: finding and making them.

/** The element with this id, which `index.html` has. */
export function find<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

/** A new element with a class and a text. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** Sets a text, and leaves the page alone where it stands there already. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
