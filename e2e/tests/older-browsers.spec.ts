/** Browsers of the last three years do without what came later. */
import type { Page } from '@playwright/test';
import { ContactForm, messages, someWords } from '../support/contact-form.ts';
import { expect, test } from '../support/test.ts';

/** Takes away what Safari 17.0, Chrome 119 or Firefox 119 do not have. */
function age() {
  const young = {
    URL: ['parse', 'canParse'],
    Promise: ['withResolvers', 'try'],
    Object: ['groupBy'],
    Map: ['groupBy'],
    Array: ['fromAsync'],
  };
  for (const [owner, names] of Object.entries(young)) {
    for (const name of names) Reflect.deleteProperty(Reflect.get(globalThis, owner), name);
  }
  for (const name of ['union', 'intersection', 'difference', 'isSubsetOf'])
    Reflect.deleteProperty(Set.prototype, name);
  for (const name of ['navigation', 'requestIdleCallback', 'cancelIdleCallback', 'scheduler'])
    Reflect.deleteProperty(globalThis, name);
}

/** A browser without popovers: for it the menu is a plain element. */
function withoutPopover() {
  for (const name of ['popover', 'showPopover', 'hidePopover', 'togglePopover'])
    Reflect.deleteProperty(HTMLElement.prototype, name);
  for (const prototype of [Element.prototype, Document.prototype]) {
    for (const name of ['matches', 'closest', 'querySelector', 'querySelectorAll'] as const) {
      const real = Reflect.get(prototype, name);
      if (!real) continue;
      Reflect.set(prototype, name, function (this: Element, selector: string) {
        if (selector.includes(':popover-open')) throw new SyntaxError(`${selector} is not valid`);
        return real.call(this, selector);
      });
    }
  }
  const setAttribute = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    if (!name.startsWith('popover')) setAttribute.call(this, name, value);
  };
  new MutationObserver(() => {
    const menu = document.querySelector('[popover]');
    menu?.removeAttribute('popover');
    document.querySelector('[popovertarget]')?.removeAttribute('popovertarget');
  }).observe(document, { childList: true, subtree: true });
}

const menu = (page: Page) => page.locator('#menu');
const toggle = (page: Page) => page.getByRole('button', { name: /^(Open|Close) menu$/ });

test.use({ viewport: { width: 800, height: 800 } });

test('without what is younger than three years both forms send and the menu works', async ({
  page,
}) => {
  await page.addInitScript(age);
  const form = new ContactForm(page);
  await form.open();
  await form.send(someWords());
  await expect(form.status).toHaveText(messages.sent);

  await page.goto('/blog');
  const newsletter = page.locator('form[action="/api/newsletter"]');
  await expect(newsletter).toHaveJSProperty('noValidate', true);
  await newsletter.locator('[name=email]').fill('older@example.org');
  await newsletter.getByRole('button').click();
  await expect(newsletter.locator('[aria-live]')).toContainText('Thank you for subscribing');
  await toggle(page).click();
  await expect(toggle(page)).toHaveAccessibleName('Close menu');
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  await toggle(page).click();
  await menu(page).getByRole('link', { name: 'About', exact: true }).click();
  await expect(page).toHaveURL('/about');
  await expect(menu(page)).toBeHidden();
});

test('without popovers the menu button shows the links', async ({ page }) => {
  await page.addInitScript(age);
  await page.addInitScript(withoutPopover);
  await new ContactForm(page).open('/');
  await toggle(page).click();
  await expect(menu(page)).toBeVisible();
  await toggle(page).click();
  await expect(menu(page)).toBeHidden();
  await toggle(page).click();
  await menu(page).getByRole('link', { name: 'About', exact: true }).click();
  await expect(page).toHaveURL('/about');
  await expect(menu(page)).toBeHidden();
});
