// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The transfers themselves. */
@Service
class Ledger {
    private final JdbcClient database;
    private final Audit audit;

    Ledger(JdbcClient database, Audit audit) {
        this.database = database;
        this.audit = audit;
    }

    // doc: no-record-no-action
    @Transactional
    public void transfer(String id, String debit, String credit, long amount) {
        audit.intent(id, "transfer " + amount + " from " + debit + " to " + credit);
        database.sql("insert into transfer values (?, ?, ?, ?)")
                .params(id, debit, credit, amount)
                .update();
    }
    // end

    /** Whether this transfer was committed. */
    boolean has(String id) {
        return database.sql("select count(*) from transfer where id = ?")
                        .param(id)
                        .query(Integer.class)
                        .single()
                > 0;
    }
}
