import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { callBack, sendReply } from '../../actions/leads.ts';
import { offerUndo, undo } from '../../actions/toasts.ts';
import { refresh, request, tell, updateCached, useOwner } from '../../api/queries.ts';
import type { LeadPage, LeavingReply } from '../../api/types.ts';
import { useDraft } from '../../lib/draft.ts';
import { serverNow, useKeys } from '../../lib/page.ts';
import { firstName } from '../../lib/words.ts';
import { go, paths } from '../../routes.ts';
import { MailFrame, usePreview } from '../../sections/mail-frame.tsx';
import { Button, Command, Icon } from '../../ui/controls.tsx';
import ui from '../../ui/ui.module.css';
import styles from './lead.module.css';

export function Composer({ page, replying }: { page: LeadPage; replying: boolean }) {
  const { lead, reply } = page;
  const { leaving } = reply;
  const isLeaving = leaving !== null;
  const { site } = useOwner();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(reply.text, async (text, before) => {
    await request('PUT', `leads/${lead.id}/reply`, { text, before });
    await updateCached<LeadPage>(['lead', lead.id], (page) => ({
      ...page,
      reply: { ...page.reply, text, is_draft: true },
    }));
  });
  const [options, setOptions] = useState({ booking: site.booking_url !== '', quote: true });
  const content = { text: draft.text, ...options };
  const [isSending, setIsSending] = useState(false);
  const isLocked = isLeaving || isSending;
  const canSend = !isLocked && draft.text.trim() !== '';
  const send = async () => {
    if (!replying || !canSend) return;
    setIsSending(true);
    // Saved first: a save after sending would make the text a draft again, and sending removes what another browser saved.
    const isAccepted = (await draft.save(reply.is_draft)) && (await sendReply(lead, content));
    if (!isAccepted) refresh('lead');
    setIsSending(false);
    if (isAccepted) go(paths.lead(lead.id));
  };
  // No preview while the lead is only read.
  const isShown = replying || isLeaving || reply.is_draft;
  const preview = usePreview(`leads/${lead.id}/reply/preview`, content, isShown);
  const isPaused = reply.is_paused;
  const offer = useEffectEvent((leaving: LeavingReply) => offerUndo(callBack(lead, leaving)));
  // Also after a reload.
  useEffect(() => {
    if (leaving && !isPaused && Date.parse(leaving.leaves_at) > serverNow()) offer(leaving);
  }, [leaving, isPaused]);
  const isWriting = replying && !isLeaving;
  // Tells other browsers at this desk that this one writes to the lead.
  useEffect(() => {
    if (!isWriting) return;
    const report = (writing: boolean) => void tell(`leads/${lead.id}/writing`, { writing });
    report(true);
    const timer = setInterval(() => report(true), 10_000);
    return () => {
      clearInterval(timer);
      report(false);
    };
  }, [lead.id, isWriting]);
  useKeys({ 'ctrl+enter': send });
  useEffect(() => {
    if (!replying) field.current?.blur();
    else if (field.current && document.activeElement !== field.current) startWriting(field.current);
  }, [replying]);

  const option = (name: keyof typeof options, label: string) => (
    <label className={styles.checkbox}>
      <input
        type="checkbox"
        checked={options[name]}
        disabled={isLocked}
        onChange={(event) => setOptions({ ...options, [name]: event.target.checked })}
      />
      {label}
    </label>
  );
  /** In lines of its own, where the cursor is. */
  const insert = (saved: string) => {
    const at = field.current?.selectionStart ?? draft.text.length;
    const [before, after] = [draft.text.slice(0, at), draft.text.slice(at)];
    const isBegun = before !== '' && !before.endsWith('\n');
    const goesOn = after !== '' && !after.startsWith('\n');
    draft.setText(`${before}${isBegun ? '\n' : ''}${saved}${goesOn ? '\n' : ''}${after}`);
    field.current?.focus();
  };
  const name = firstName(lead.name);
  return (
    <section className={styles.ours} aria-labelledby="reply-title" data-locked={isLocked}>
      <header className={styles.title}>
        <h2 id="reply-title">Reply to {name}</h2>
        <p className={ui.aside} role="status">
          {draft.status || (reply.is_draft && 'draft kept')}
        </p>
        {reply.saved.length > 0 && (
          <span className={styles.savedReplies}>
            {/* Works as a menu: it shows its label, inserts what is chosen, and selects nothing. */}
            <select
              className={ui.plain}
              aria-label="Saved replies"
              value=""
              disabled={isLocked}
              onChange={(event) => insert(event.target.value)}
            >
              <option value="" hidden>
                Saved replies
              </option>
              {reply.saved.map(({ name, text }) => (
                <option key={name} value={text}>
                  {name}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        )}
      </header>
      <dl className={styles.head}>
        <dt>Subject</dt>
        <dd>{preview?.subject ?? reply.subject}</dd>
        <dt>From</dt>
        <dd>
          {reply.from} {reply.bcc && <span className={ui.low}>Bcc to you</span>}
        </dd>
      </dl>
      <textarea
        aria-label="Your answer"
        ref={field}
        className={styles.write}
        rows={9}
        dir="auto"
        readOnly={isLocked}
        data-command={`frontdoor leads reply ${lead.short_id}`}
        value={draft.text}
        onFocus={() => !replying && go(paths.reply(lead.id), { replace: true })}
        onChange={(event) => draft.setText(event.target.value)}
      />
      <div className={styles.replyOptions}>
        {site.booking_url && option('booking', 'Booking link with their name and address')}
        {option('quote', 'Quote their message')}
      </div>
      <div className={styles.mail}>
        <MailFrame
          heading={<h3>As it arrives</h3>}
          url={preview?.url}
          placeholder={!isShown && 'A preview appears here while you write.'}
        />
      </div>
      <div className={styles.send}>
        {leaving ? (
          <>
            <Button label="Call it back" onClick={() => undo(callBack(lead, leaving))} />
            <p>
              Nothing has left yet.{' '}
              {isPaused ? paused : 'It will be sent even if you close this page.'}
            </p>
          </>
        ) : (
          <>
            <Button
              label={`Send to ${name}`}
              variant="primary"
              keys="Ctrl Enter"
              locked={!canSend}
              onClick={send}
            />
            <p>
              {isPaused ? paused : 'Leaves after 10 seconds and marks the lead.'} What {name} writes
              back comes to your mail program; the desk reads no mailbox.
            </p>
          </>
        )}
      </div>
    </section>
  );
}

/** After a restore. */
const paused = 'Sending is paused: it leaves once you run “frontdoor deliveries resume”.';

/** Puts the cursor between greeting and signature, or at the end if there is no signature. */
function startWriting(field: HTMLTextAreaElement): void {
  const signature = field.value.lastIndexOf('\n\n');
  const at = signature < 0 ? field.value.length : signature;
  field.focus();
  field.setSelectionRange(at, at);
}

/** Replaces the composer if no mail server is set up. */
export const NoMail = ({ page: { lead, reply } }: { page: LeadPage }) => (
  <section className={`${styles.ours} ${styles.noMail}`} aria-labelledby="reply-title">
    <h2 id="reply-title">Reply to {firstName(lead.name)}</h2>
    <p>
      No mail server is set up, so nothing can be sent from here. Write from your mail program, then
      mark the lead as answered.
    </p>
    <a
      className={ui.link}
      href={`mailto:${lead.email}?subject=${encodeURIComponent(reply.subject)}`}
    >
      Write to {lead.email}
    </a>
    <Command command={`frontdoor leads reply ${lead.short_id}`} />
  </section>
);
