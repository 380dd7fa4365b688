/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The act of recovery at one position of the log, as a pure function of five facts. Each combination is a row of
 * docs/recovery.md and of the test.
 */
#ifndef BURST_RECOVERY_RULES_H
#define BURST_RECOVERY_RULES_H

enum recovery_rule {
    RULE_CONTINUE_AT_MARKER, /* an open ended the log here and went on at its marker; the range between is void */
    /* An earlier open found this range damaged and listed it: it stays lost, even if it can be read now. */
    RULE_SKIP_KNOWN_LOSS,
    RULE_ACCEPT, /* the next record of the log */
    RULE_DAMAGE, /* a record was durable here and is gone: report it, and go on behind it */
    RULE_END,    /* nothing proves that the log went on */
};

struct recovery_facts {
    int window_is_over;   /* the walk has passed a whole capacity */
    int marker_ends_here; /* a later marker of a higher epoch says that the log ended at this position */
    int loss_known_here;  /* a marker lists a loss that begins at this position, and no later epoch wrote there */
    int record_is_valid;  /* position, CRCs, epoch and sequence are those of the next record */
    int below_watermark;  /* something on the medium proves that this position was durable */
};

static inline enum recovery_rule recovery_rule_for(struct recovery_facts facts) {
    return facts.window_is_over     ? RULE_END
           : facts.marker_ends_here ? RULE_CONTINUE_AT_MARKER
           : facts.loss_known_here  ? RULE_SKIP_KNOWN_LOSS
           : facts.record_is_valid  ? RULE_ACCEPT
           : facts.below_watermark  ? RULE_DAMAGE
                                    : RULE_END;
}

#endif
