// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Ends the service when its audit trail has failed. The profile "available" leaves it refusing requests instead. */
@Component
@Profile("!available")
class EndOnAuditFailure implements ApplicationListener<AvailabilityChangeEvent<LivenessState>> {
    static final int EXIT_CODE = 70; // EX_SOFTWARE of sysexits.h

    private final ApplicationContext context;

    EndOnAuditFailure(ApplicationContext context) {
        this.context = context;
    }

    // doc: end
    @Override
    public void onApplicationEvent(AvailabilityChangeEvent<LivenessState> event) {
        if (event.getState() == LivenessState.BROKEN) {
            // A thread of its own: the one that was refused goes on and answers its request.
            new Thread(() -> System.exit(SpringApplication.exit(context, () -> EXIT_CODE)), "audit-failure").start();
        }
    }
    // end
}
